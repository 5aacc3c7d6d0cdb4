/** API errors as HTTP answers: the one place where they get their status (specification, Errors). */

import { ApiError, statusForOperation } from "../../shared/errors.ts";
import type { JsonObject } from "../protocols/canonical/item.ts";
import type { Logger } from "../runtime.ts";
import type { HttpExchange } from "./http_exchange.ts";

interface ErrorReplyOptions {
  readonly exchange: HttpExchange;
  readonly log: Logger;
  /** Routing metadata under the keys that the caller asked for; left out where routing was never reached. */
  readonly metadata?: JsonObject;
}

/** Anything thrown, as an API error: what is not one is our own fault, logged whole and told in general terms. */
export function toApiError(error: unknown, { exchange, log }: ErrorReplyOptions): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  log.error("Internal error while handling request", { request: `req_${exchange.id}`, error: text });
  return new ApiError("internal", "The gateway failed. The request id names this failure in its log.", {
    cause: error,
  });
}

export function errorReply(error: unknown, options: ErrorReplyOptions): Response {
  const refusal = toApiError(error, options);
  const status = statusForOperation(options.exchange.operation, refusal.kind);
  const headers: Record<string, string> = { "content-type": "application/json" };
  const { retryAfter, isPermanent } = refusal.details;
  if (retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter)));
  if (isPermanent === true) headers["x-should-retry"] = "false";
  const metadata = status === 500 ? {} : options.metadata;
  const body = options.exchange.renderError(refusal, { status, requestId: `req_${options.exchange.id}` });
  return new Response(JSON.stringify({ ...body, ...metadata }), { status, headers });
}
