/** The body of a call as its caller may be shown it (`debug.echo_upstream_body`). */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Credentials of MCP servers are left out; the same body where it has none. */
export function shownBody(body: JsonObject): JsonObject {
  const { tools, mcp_servers: servers } = body;
  const hasTools = Array.isArray(tools) && tools.some((tool) => isRecord(tool) && tool.type === "mcp");
  if (!hasTools && !Array.isArray(servers)) return body;
  return {
    ...body,
    ...(hasTools ? { tools: tools.map(withoutCredentials) } : {}),
    ...(Array.isArray(servers) ? { mcp_servers: servers.map(withoutCredentials) } : {}),
  };
}

function withoutCredentials(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { authorization: _token, authorization_token: _other, headers: _headers, ...shown } = value;
  return shown;
}
