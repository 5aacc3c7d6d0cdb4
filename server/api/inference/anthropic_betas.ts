/**
 * Anthropic's betas that a caller names in headers, whatever API the request comes through (specification, Request
 * headers clients send).
 */

import type { HeaderReader } from "../../http/http_server/incoming_request.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";

/** More than any client has use for; what is beyond is left out. */
const MOST = 50;

/**
 * The request with the betas of both headers, each once, in the order in which they were named. `anthropic-beta` is
 * what Anthropic's own client sends.
 */
export function addAnthropicBetas(request: ModelRequest, headers: HeaderReader): ModelRequest {
  const short = headers.get("anthropic-beta");
  const long = headers.get("x-anthropic-beta");
  if (short === null && long === null) return request;
  const both = `${short ?? ""},${long ?? ""}`;
  const betas = new Set(both.split(",").map((beta) => beta.trim()).filter((beta) => beta !== ""));
  return betas.size === 0 ? request : { ...request, betas: [...betas].slice(0, MOST) };
}
