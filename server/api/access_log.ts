/** The access log: a line for each request as its reply begins, where the settings ask for it. */

import { truncateStart } from "../../shared/util/text.ts";
import type { Logger } from "../runtime.ts";
import type { AuthenticateDeps } from "./authenticate.ts";
import { type BegunReply, modelCalls } from "./begun_reply.ts";
import { rawPath } from "./request_checks.ts";

/** Longer paths are cut. */
const MOST_CHARS = 256;

interface AccessLogDeps extends Pick<AuthenticateDeps, "addressOf"> {
  readonly log: Pick<Logger, "info">;
}

/** Writes neither query nor headers, and nothing of bodies. */
export function logAccess(
  { log, addressOf }: AccessLogDeps,
  { exchange, operation, status, ownMs, upstreamMs }: BegunReply,
): void {
  const { id, request, generation } = exchange;
  log.info("Request", {
    request: `req_${id}`,
    generation: modelCalls.has(operation) ? generation ?? `gen-${id}` : undefined,
    method: request.method,
    path: truncateStart(rawPath(request.url), MOST_CHARS),
    operation,
    status,
    ms: toTenths(ownMs + upstreamMs),
    own_ms: toTenths(ownMs),
    upstream_ms: toTenths(upstreamMs),
    address: addressOf(exchange)?.address,
  });
}

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
