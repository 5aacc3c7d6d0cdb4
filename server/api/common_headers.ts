/** The headers of every reply, whatever has made it. */

import type { Operation } from "../../shared/errors.ts";
import type { CorsPolicy } from "../config/config.ts";
import type { HttpReply } from "../http/http_server/reply.ts";
import type { Runtime } from "../runtime.ts";
import { isOfAnthropic } from "./authenticate.ts";
import { keepOutOfCaches } from "./cache_control.ts";
import { addConsoleHeaders } from "./console/console_headers.ts";
import type { OriginDeps } from "./console/console_origin.ts";
import { isConsolePath } from "./console/console_routes.ts";
import { applyCors } from "./cors.ts";
import type { HttpExchange } from "./http_exchange.ts";
import { writeResponseCacheHeaders } from "./inference/cache_headers.ts";
import { writeRateLimitHeaders } from "./rate_limit_headers.ts";
import { rawPath } from "./request_checks.ts";

interface CommonHeaderDeps {
  readonly cors: CorsPolicy;
  readonly runtime: Pick<Runtime, "clock">;
  readonly console: Pick<OriginDeps, "isTls">;
}

interface FinishedExchange {
  readonly exchange: HttpExchange;
  readonly reply: HttpReply;
}

/**
 * Operations whose replies, API errors included, name the generation they belong to (specification, Response
 * headers worth sending).
 */
const inferenceOperations: ReadonlySet<Operation> = new Set([
  "create_response",
  "create_chat_completion",
  "create_message",
  "create_speech",
  "create_embeddings",
]);

/** Adds the headers of every reply: request id, the gateway's own share of the time, cross-origin rules. */
export function addCommonHeaders(deps: CommonHeaderDeps, { exchange, reply }: FinishedExchange): HttpReply {
  const { cors, runtime } = deps;
  const { headers } = reply;
  keepOutOfCaches(reply);
  const total = runtime.clock.monotonic() - exchange.startedAt;
  const own = Math.max(0, total - exchange.upstreamMs);
  const rate = exchange.rateLimitStanding?.();
  if (rate) writeRateLimitHeaders(headers, { rate, now: runtime.clock.now() });
  const notes = exchange.notes?.() ?? [];
  if (notes.length > 0) headers.set("x-tollgate-notes", notes.join(" "));
  const cached = reply.status === 200 ? exchange.cacheOutcome?.() : undefined;
  if (cached !== undefined) writeResponseCacheHeaders(headers, cached);
  headers.set("x-request-id", `req_${exchange.id}`);
  // Anthropic's client looks for the id under this name.
  if (isOfAnthropic(exchange.operation)) headers.set("request-id", `req_${exchange.id}`);
  if (inferenceOperations.has(exchange.operation)) {
    headers.set("x-generation-id", exchange.generation ?? `gen-${exchange.id}`);
  }
  headers.set(
    "server-timing",
    `gateway;dur=${own.toFixed(2)}, upstream;dur=${exchange.upstreamMs.toFixed(2)}`,
  );
  const path = rawPath(exchange.request.url);
  if (isConsolePath(path)) addConsoleHeaders(headers, { tls: deps.console.isTls(exchange) });
  const origin = exchange.request.headers.get("origin");
  if (origin !== null) applyCors(cors, { path, origin, headers });
  return reply;
}
