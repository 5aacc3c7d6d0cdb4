/**
 * MCP servers of the Messages API, which stand beside the tools there (`mcp_servers` and `mcp_toolset`), as the tool
 * `mcp` of the other two, and back.
 */

import { isRecord } from "../util/json.ts";
import { at, type Fields, type Place } from "./places.ts";
import { messagesTools } from "./spellings.ts";

const plain = at("tools", messagesTools);

/** The tools of Messages. A server that they have no words for stays the tool that it is, and is refused there. */
export const messagesToolsAndServers: Place = {
  read: (body) => {
    const tools = plain.read(body);
    return Array.isArray(tools) ? tools.map((tool) => toMcp(tool, serversOf(body))) : tools;
  },
  write: (body, tools) => {
    if (!Array.isArray(tools)) return plain.write(body, tools);
    const split = tools.map((tool): Split => fromMcp(tool) ?? { tool });
    const written = plain.write(body, split.map(({ tool }) => tool));
    const own = serversOf(body);
    const added = split.flatMap(({ server }) =>
      server === undefined || own.some(({ name }) => name === server.name) ? [] : [server]
    );
    return added.length === 0 ? written : { ...written, mcp_servers: [...own, ...added] };
  },
};

const serversOf = ({ mcp_servers }: Fields): readonly Fields[] =>
  Array.isArray(mcp_servers) ? mcp_servers.filter(isRecord) : [];

/** No call waits for an approval on Messages. */
const approval = "never";

function toMcp(tool: unknown, servers: readonly Fields[]): unknown {
  if (!isRecord(tool) || tool.type !== "mcp_toolset") return tool;
  const { type: _, mcp_server_name: server_label, ...rest } = tool;
  const server = servers.find(({ name }) => typeof name === "string" && name === server_label);
  const { url: server_url, authorization_token: authorization = null } = server ?? {};
  if (typeof server_url !== "string" || hasWordsOfMcp(rest)) return tool;
  const token = authorization === null ? {} : { authorization };
  return { ...rest, type: "mcp", server_label, server_url, ...token, require_approval: approval };
}

interface Split {
  readonly tool: unknown;
  readonly server?: Fields;
}

/** Undefined for what is no server, or one of which Messages could not say all. */
function fromMcp(value: unknown): Split | undefined {
  if (!isRecord(value) || value.type !== "mcp" || value.require_approval !== approval) return undefined;
  const { type: _, require_approval: _never, server_label, server_url: url, ...settings } = value;
  const { authorization = null, allowed_tools = null, ...rest } = settings;
  const allowed = allowed_tools === null ? {} : onlyTools(allowed_tools, rest);
  if (typeof url !== "string" || allowed === undefined || hasWordsOfMcp(rest)) return undefined;
  const token = authorization === null ? {} : { authorization_token: authorization };
  return {
    tool: { type: "mcp_toolset", mcp_server_name: server_label, ...withoutWordsOfMcp(rest), ...allowed },
    server: { type: "url", name: server_label, url, ...token },
  };
}

/** Settings of the tool `mcp` for which Messages have no words. */
const wordsOfMcp: ReadonlySet<string> = new Set([
  ...["headers", "server_description", "allowed_callers", "defer_loading"],
  ...["connector_id", "tunnel_id"],
]);

const hasWordsOfMcp = (settings: Fields): boolean =>
  Object.entries(settings).some(([name, value = null]) => wordsOfMcp.has(name) && value !== null);

const withoutWordsOfMcp = (settings: Fields): Fields =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !wordsOfMcp.has(name)));

/** All but the named tools are switched off; undefined for tools that are chosen otherwise, or twice. */
function onlyTools(allowed: unknown, { default_config, ...rest }: Fields): Fields | undefined {
  if (default_config !== undefined || rest.configs !== undefined) return undefined;
  const names = isRecord(allowed) && Object.keys(allowed).length === 1 ? allowed.tool_names : allowed;
  if (!Array.isArray(names)) return undefined;
  const configs = Object.fromEntries(names.map((name) => [String(name), { enabled: true }]));
  return { default_config: { enabled: false }, configs };
}
