/**
 * Cross-origin rules: inference, models and `GET /key` may be called from any page, MCP from pages that the operator
 * has named; nothing else may (SECURITY.md).
 */

import type { CorsPolicy } from "../config/config.ts";
import type { ReplyHeaders } from "../http/http_server/reply.ts";
import type { ClientRequest } from "../http/http_server/incoming_request.ts";

const openPaths =
  /^\/(?:api\/)?v1\/(?:responses|chat\/completions|messages(?:\/count_tokens)?|audio\/speech|embeddings|models(?:\/.*)?|model\/.*|key)$/;

/** For pages of origins that the operator has named. */
const mcpPath = /^(?:\/(?:api\/)?v1)?\/mcp$/;

const exposed = "X-Generation-Id, X-Request-Id, Retry-After, Server-Timing, RateLimit-Limit, " +
  "RateLimit-Remaining, RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " +
  "X-Audio-Sample-Rate, X-Audio-Channels, X-Tollgate-Notes, X-OpenRouter-Cache-Status, X-OpenRouter-Cache-Age, " +
  "X-OpenRouter-Cache-TTL, X-OpenRouter-Cache-Source-Id";

function allowedOrigin(policy: CorsPolicy, origin: string): string | undefined {
  if (policy.type === "any") return "*";
  if (policy.type === "off") return undefined;
  return policy.origins.includes(origin) ? origin : undefined;
}

/** Adds what a browser needs to let the page read the answer. No credentials: the API knows no cookies. */
export function applyCors(policy: CorsPolicy, { path, origin, headers }: {
  readonly path: string;
  readonly origin: string;
  readonly headers: ReplyHeaders;
}): void {
  const isOpen = openPaths.test(path) || (policy.type === "list" && mcpPath.test(path));
  const allowed = isOpen ? allowedOrigin(policy, origin) : undefined;
  if (policy.type === "list") headers.set("vary", "Origin");
  if (allowed === undefined) return;
  headers.set("access-control-allow-origin", allowed);
  headers.set("access-control-expose-headers", exposed);
}

/** The answer to a preflight; whatever headers the page wants to send are allowed. */
export function preflight(request: ClientRequest): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
      "access-control-max-age": "86400",
    },
  });
}
