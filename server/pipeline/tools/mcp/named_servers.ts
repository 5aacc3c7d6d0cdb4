/** The MCP servers that a request names, judged as far as none of them has to be asked for it. */

import { ApiError } from "../../../../shared/errors.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { isMcp, shownName } from "./list_servers.ts";
import { textOf } from "../tool_definition.ts";
import { withToolsets } from "./toolsets.ts";

/** Servers of a request. */
const MOST_SERVERS = 10;

const refusal = (path: string, message: string): ApiError =>
  new ApiError("invalid_request", message, { metadata: { path } });

/**
 * The request with its servers in the words of the Responses API. Throws an ApiError (400) for a toolset whose server is
 * missing or cannot be, for more servers than a request may have, or two of one label.
 */
export function withServers(request: ModelRequest): ModelRequest {
  const named = withToolsets(request);
  const labels = named.tools.filter(isMcp).map(({ value }) => String(value.server_label));
  if (labels.length > MOST_SERVERS) {
    throw refusal("tools", `A request may name ${MOST_SERVERS} MCP servers, not ${labels.length}.`);
  }
  const twice = labels.find((label, index) => labels.indexOf(label) < index);
  if (twice === undefined) return named;
  throw refusal("tools", `Two MCP servers have the server_label ${JSON.stringify(shownName(twice))}.`);
}

/**
 * Checks the servers of a request that nobody sends yet. Throws an ApiError (400) also for an address that may not be
 * called; `addressFault`: why, as the rest of a sentence, undefined for others.
 */
export function checkNamedServers(
  request: ModelRequest,
  addressFault: (url: string) => string | undefined,
): void {
  for (const [index, tool] of withServers(request).tools.entries()) {
    if (!isMcp(tool)) continue;
    const { server_label, server_url } = tool.value;
    const url = textOf(server_url);
    const fault = url === undefined ? undefined : addressFault(url);
    if (fault === undefined) continue;
    const message = `The MCP server ${shownName(String(server_label))} ${fault.replace(/\.$/, "")}.`;
    throw refusal(`tools[${index}]`, message);
  }
}
