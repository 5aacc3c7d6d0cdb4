/** Replies as they begin, for who counts them. */

import type { Operation } from "../../shared/errors.ts";
import type { HttpExchange } from "./http_exchange.ts";

/** Operations by which models are called. */
export const modelCalls: ReadonlySet<Operation> = new Set<Operation>([
  "create_response",
  "create_chat_completion",
  "create_message",
  "create_speech",
  "create_embeddings",
]);

/** A reply by its head, with what its operation was and how long it took, ms. */
export interface BegunReply {
  readonly exchange: HttpExchange;
  readonly operation: Operation;
  readonly status: number;
  readonly ownMs: number;
  readonly upstreamMs: number;
  readonly isModelCall: boolean;
}

interface ReplyHead {
  readonly status: number;
  /** Monotonic ms. */
  readonly now: number;
}

/** Tells of a reply whose head is made. */
export function begunReply(exchange: HttpExchange, { status, now }: ReplyHead): BegunReply {
  const { operation, startedAt, upstreamMs } = exchange;
  const ownMs = Math.max(0, now - startedAt - upstreamMs);
  return { exchange, operation, status, ownMs, upstreamMs, isModelCall: modelCalls.has(operation) };
}
