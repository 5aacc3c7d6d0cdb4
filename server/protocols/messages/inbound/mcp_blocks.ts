/** Calls and listings of MCP servers that the gateway has made, as Anthropic shows its own. */

import { isRecord } from "../../../../shared/util/json.ts";
import { parseCallArguments } from "../../canonical/call_arguments.ts";
import type { JsonObject, PassthroughItem } from "../../canonical/item.ts";

/** None for other items, and for calls that have not run. */
export function renderMcpBlocks({ kind, value, call }: PassthroughItem): readonly JsonObject[] {
  if (kind === "mcp_list_tools") return listingBlocks(value);
  if (kind !== "mcp_call" || call?.output === undefined) return [];
  const { server_label: server_name, name, error } = value;
  const id = `mcptoolu_gateway_${call.callId.replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
  return [
    { type: "mcp_tool_use", id, name, server_name, input: parseCallArguments(call.arguments) ?? {} },
    {
      type: "mcp_tool_result",
      tool_use_id: id,
      is_error: error !== undefined && error !== null,
      content: [{ type: "text", text: call.output }],
    },
  ];
}

function listingBlocks({ server_label: mcp_server_name, tools, error }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(tools) || (error !== undefined && error !== null)) return [];
  const listed = tools.filter(isRecord).map(({ name, description, input_schema }) => ({
    name,
    description: description ?? "",
    input_schema,
  }));
  return [{ type: "mcp_tool_listing", mcp_server_name, tools: listed }];
}
