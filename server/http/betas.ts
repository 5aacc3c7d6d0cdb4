/** Anthropic's betas that a caller names in headers, whatever door the request comes through (wire-reference §2.2). */

import type { ModelRequest } from "../hub/request.ts";

/** `anthropic-beta` is what Anthropic's own client sends. */
const names = ["anthropic-beta", "x-anthropic-beta"] as const;

/** More than any client has use for; what is beyond is left out. */
const MOST = 50;

/** The request with the betas of both headers, each once, in the order in which they were named. */
export function withBetas(request: ModelRequest, headers: Headers): ModelRequest {
  const told = names.map((name) => headers.get(name) ?? "").join(",");
  const betas = new Set(told.split(",").map((beta) => beta.trim()).filter((beta) => beta !== ""));
  return betas.size === 0 ? request : { ...request, betas: [...betas].slice(0, MOST) };
}
