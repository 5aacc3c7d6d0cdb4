/**
 * POST /internal/containers/{id}/{operation}: calls of the other gateways on the same store, for containers that this
 * one has. No key opens it and no client calls it: it stands in no document.
 */

import { ApiError } from "../../../shared/errors.ts";
import { StreamedReply } from "../../http/http_server/reply.ts";
import type { Clock } from "../../runtime.ts";
import { type BodyLimits, readBody } from "../body/read_body.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { sseBody, type SseLimits } from "../inference/sse_body.ts";

interface ForwardedHead {
  readonly method: string;
  /** As it was sent, with the query. */
  readonly path: string;
  readonly header: (name: string) => string | null;
}

interface ForwardedInput {
  /** The container's, from the path. */
  readonly id: string;
  readonly operation: string;
  readonly body: string;
}

/** Frames of the answer. */
interface ForwardedAnswer {
  /** Undefined at the end. Never called while a call is pending; never rejects. */
  next(): Promise<string | undefined>;
  /** The caller has left. */
  close(): void;
}

interface SignedCall {
  /** Undefined for another body than was signed. Throws an ApiError. */
  begin(input: ForwardedInput): Promise<ForwardedAnswer | undefined>;
}

/** Judges and answers the calls. */
export interface ForwardedCallHandler {
  /** Milliseconds of silence after which the caller is told that its call goes on. */
  readonly beatMs: number;
  /** Undefined for a call that no gateway on this store has signed. */
  check(head: ForwardedHead): Promise<SignedCall | undefined>;
}

interface ForwardedCallDeps {
  readonly runtime: { readonly clock: Clock };
  readonly limits: BodyLimits & Pick<SseLimits, "writeStallMs">;
}

export const FORWARDED_CALL_PATH = "/internal/containers/:id/:operation";

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/** The same whatever is wrong with it. */
const unsigned = () => new ApiError("unauthorized", "No gateway on this store has signed this call.");

/** The body is read once the head is known to be signed. */
export async function forwardedCallRoute(
  { runtime: { clock }, limits }: ForwardedCallDeps,
  { calls, exchange }: { readonly calls: ForwardedCallHandler; readonly exchange: HttpExchange },
): Promise<StreamedReply> {
  const { request, params: { id = "", operation = "" } } = exchange;
  const header = (name: string) => request.headers.get(name);
  const call = await calls.check({ method: request.method, path: pathOf(request.url), header });
  if (call === undefined) throw unsigned();
  const body = await readBody(request, { clock, limits });
  const answer = await call.begin({ id, operation, body });
  if (answer === undefined) throw unsigned();
  const stream = sseBody({
    clock,
    limits: { heartbeatMs: calls.beatMs, writeStallMs: limits.writeStallMs },
    next: () => answer.next(),
    startWithComment: true,
    onDisconnect: () => answer.close(),
  });
  return new StreamedReply(stream, { headers });
}

const pathOf = (url: string): string => url.slice(url.indexOf("/", url.indexOf("://") + 3));
