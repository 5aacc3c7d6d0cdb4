/** Refusals as HTTP answers: the one place where they get their status (gateway-api.md, Errors). */

import { Refusal, statusFor } from "../../shared/errors.ts";
import type { Json } from "../canonical/item.ts";
import type { Log } from "../runtime.ts";
import type { Exchange } from "./http_exchange.ts";

export interface RefuseOptions {
  readonly exchange: Exchange;
  readonly log: Log;
  /** Routing metadata under the keys that the caller asked for; left out where routing was never reached. */
  readonly metadata?: Json;
}

/** Anything thrown, as a refusal: what is not one is our own fault, logged whole and told in general terms. */
export function asRefusal(error: unknown, { exchange, log }: RefuseOptions): Refusal {
  if (error instanceof Refusal) return error;
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  log.error("A request failed inside the gateway", { request: `req_${exchange.id}`, error: text });
  return new Refusal("internal", "The gateway failed. The request id names this failure in its log.", {
    cause: error,
  });
}

export function refuse(error: unknown, options: RefuseOptions): Response {
  const refusal = asRefusal(error, options);
  const status = statusFor(options.exchange.operation, refusal.kind);
  const headers: Record<string, string> = { "content-type": "application/json" };
  const { retryAfter } = refusal.details;
  if (retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter)));
  const metadata = status === 500 ? {} : options.metadata;
  const body = options.exchange.renderRefusal(refusal, { status, requestId: `req_${options.exchange.id}` });
  return new Response(JSON.stringify({ ...body, ...metadata }), { status, headers });
}
