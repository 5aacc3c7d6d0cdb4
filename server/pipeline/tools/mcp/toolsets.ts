/**
 * MCP servers as the Messages API names them (`mcp_servers` and the tool `mcp_toolset`), in the words of the Responses
 * API: for requests whose servers the gateway calls. Blocks of earlier calls and listings become its items.
 */

import { ApiError } from "../../../../shared/errors.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { Item, JsonObject, PassthroughItem } from "../../../protocols/canonical/item.ts";
import type { HostedTool, ModelRequest, Tool } from "../../../protocols/canonical/request.ts";
import { textOf } from "../tool_definition.ts";
import { settingsIssue } from "./server_settings.ts";

/** The beta in which responses have their servers' listings. */
const LISTING_BETA = "mcp-client-2026-09-15";

export const isToolset = (tool: Tool): tool is HostedTool =>
  tool.type === "hosted" && tool.wire === "messages" && tool.kind === "mcp_toolset";

export const wantsListings = ({ betas = [] }: Pick<ModelRequest, "betas">): boolean =>
  betas.includes(LISTING_BETA);

/** The same request where it has none. Throws an ApiError (400) for a toolset whose server is missing or cannot be. */
export function withToolsets(request: ModelRequest): ModelRequest {
  if (!request.tools.some(isToolset)) return request;
  const { mcp_servers: named, ...messages } = request.extra?.messages ?? {};
  const servers = (Array.isArray(named) ? named : []).map((server) => isRecord(server) ? server : {});
  const known = new Set<unknown>();
  const tools = request.tools.map((tool, index): Tool => {
    if (!isToolset(tool)) return tool;
    const isSecond = known.has(tool.value.mcp_server_name);
    known.add(tool.value.mcp_server_name);
    const server = servers.find(({ name }) => name === tool.value.mcp_server_name);
    if (server !== undefined && !isSecond) {
      return checkedTool(serverTool(tool, server), servers.indexOf(server));
    }
    const path = `tools[${index}].mcp_server_name`;
    const fault = isSecond
      ? "names a server that another toolset has already"
      : "names no server of mcp_servers";
    throw new ApiError("invalid_request", `${path} ${fault}`, { metadata: { path } });
  });
  return { ...request, tools, input: itemsOf(request.input), extra: { ...request.extra, messages } };
}

function serverTool(
  { value }: HostedTool,
  { name, url, authorization_token: token }: JsonObject,
): HostedTool {
  const pinned = Array.isArray(value.tools) ? { tools: value.tools } : {};
  return {
    type: "hosted",
    wire: "responses",
    kind: "mcp",
    value: {
      type: "mcp",
      server_label: String(name),
      server_url: url,
      ...(textOf(token) === undefined ? {} : { authorization: token }),
      require_approval: "never",
      default_config: value.default_config,
      configs: value.configs,
      ...pinned,
    },
  };
}

/** Names of the Responses API's fields here. */
const fieldNames = new Map([["server_url", "url"], ["authorization", "authorization_token"]]);

/** `index`: of the server among those that the request names. Throws an ApiError. */
function checkedTool(tool: HostedTool, index: number): HostedTool {
  const issue = settingsIssue(tool.value);
  if (issue === undefined) return tool;
  const path = `mcp_servers[${index}].${fieldNames.get(issue.field) ?? issue.field}`;
  throw new ApiError("invalid_request", `${path} ${issue.message}`, { metadata: { path } });
}

/** Undefined for what is no block of this wire. */
const blockOf = (item: Item): PassthroughItem | undefined =>
  item.type === "foreign" && item.wire === "messages" ? item : undefined;

function itemsOf(input: readonly Item[]): readonly Item[] {
  const results = new Map(input.flatMap((item) => {
    const block = blockOf(item);
    return block?.kind === "mcp_tool_result" ? [[block.value.tool_use_id, block.value] as const] : [];
  }));
  return input.flatMap((item): readonly Item[] => {
    const block = blockOf(item);
    switch (block?.kind) {
      case "mcp_tool_result":
        return [];
      case "mcp_tool_use":
        return [callItem(block.value, results.get(block.value.id))];
      case "mcp_tool_listing":
        return [listingItem(block.value)];
      default:
        return [item];
    }
  });
}

function callItem(
  { id, name, server_name, input }: JsonObject,
  result: JsonObject | undefined,
): PassthroughItem {
  const text = resultText(result?.content);
  const failed = result === undefined || result.is_error === true;
  return itemOf("mcp_call", {
    id,
    server_label: server_name,
    name,
    arguments: JSON.stringify(input ?? {}),
    ...(failed ? { error: text === "" ? "The call was not answered." : text } : { output: text }),
  });
}

const resultText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
    ? content.filter(isRecord).map(({ text }) => textOf(text) ?? "").join("\n")
    : "";

const listingItem = ({ mcp_server_name, tools }: JsonObject): PassthroughItem =>
  itemOf("mcp_list_tools", { server_label: mcp_server_name, tools });

const itemOf = (kind: string, value: JsonObject): PassthroughItem => ({
  type: "foreign",
  wire: "responses",
  kind,
  value: { type: kind, ...value },
  id: textOf(value.id),
});
