/** A listing of an MCP server's tools that the client brings back: the server is not asked again. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { Item, PassthroughItem } from "../../../protocols/canonical/item.ts";
import type { McpTool } from "../../../web/mcp/mcp_access.ts";

/** Whether an item is one of the tool `mcp` of the Responses API. */
export const isMcpItem = (item: Item): item is PassthroughItem =>
  item.type === "foreign" && item.wire === "responses" && item.kind.startsWith("mcp_");

/** The newest listing of a server that has brought tools. */
export function replayedListing(input: readonly Item[], label: string): readonly McpTool[] | undefined {
  const item = input.findLast((one) =>
    isMcpItem(one) && one.kind === "mcp_list_tools" && one.value.server_label === label &&
    (one.value.error === undefined || one.value.error === null)
  );
  return item === undefined || !isMcpItem(item) ? undefined : listedTools(item.value.tools);
}

/** Tools in the words of the Responses and Messages API, each name once; undefined for what is no list. */
export function listedTools(listed: unknown): readonly McpTool[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return [...new Map(listed.flatMap(toTool).map((tool) => [tool.name, tool])).values()];
}

function toTool(value: unknown): readonly McpTool[] {
  if (!isRecord(value)) return [];
  const { name, description, input_schema: schema, annotations } = value;
  if (typeof name !== "string" || name === "") return [];
  return [{
    name,
    description: typeof description === "string" ? description : undefined,
    inputSchema: isRecord(schema) ? schema : { type: "object" },
    annotations: isRecord(annotations) ? annotations : undefined,
  }];
}
