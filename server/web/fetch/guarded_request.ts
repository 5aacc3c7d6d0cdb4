/**
 * The same way as the guarded fetch, for callers whose answers are streams: one request to one address. No redirect
 * is followed, so that what a request carries reaches nobody else.
 */

import type { AbortSignalLike } from "../../providers/upstream/call_abort.ts";
import type { ConnectionDeps } from "./checked_connection.ts";
import { FetchError } from "./fetch_error.ts";
import { type FetchPolicy, fetchTarget } from "./fetch_target.ts";
import { toFetchError } from "./guarded_fetch.ts";
import { type HopPost, type HopReply, requestHop } from "./request_hop.ts";

interface GuardedRequestDeps extends Omit<ConnectionDeps, "signal"> {
  readonly policy: FetchPolicy;
}

interface GuardedRequestInput extends HopPost {
  readonly url: string;
  /** Ends the request, and its answer. */
  readonly signal: AbortSignalLike;
  /** Bytes of the answer that are read at most. */
  readonly maxBytes: number;
}

export type GuardedReply = Pick<HopReply, "status" | "header" | "read" | "close">;

/** Rejects with a FetchError, or with the signal's reason; so does `read` of its reply. */
export type GuardedRequest = (input: GuardedRequestInput) => Promise<GuardedReply>;

export function createGuardedRequest(deps: GuardedRequestDeps): GuardedRequest {
  return async ({ url, signal, maxBytes, ...post }) => {
    signal.throwIfAborted();
    const abort = new AbortController();
    const leave = () => abort.abort(signal.reason);
    signal.addEventListener("abort", leave);
    const forget = () => signal.removeEventListener("abort", leave);
    const target = fetchTarget(url, deps.policy);
    const failure = (error: unknown): unknown => {
      forget();
      return abort.signal.aborted ? abort.signal.reason : toFetchError(error, target);
    };
    try {
      const reply = await requestHop(target, { ...deps, post, signal: abort.signal });
      return limitedReply(reply, { maxBytes, failure, forget });
    } catch (error) {
      throw failure(error);
    }
  };
}

interface LimitOptions {
  readonly maxBytes: number;
  /** Makes the error of a read that failed. */
  readonly failure: (error: unknown) => unknown;
  readonly forget: () => void;
}

function limitedReply(reply: HopReply, { maxBytes, failure, forget }: LimitOptions): GuardedReply {
  let left = maxBytes;
  return {
    status: reply.status,
    header: (name) => reply.header(name),
    close: () => {
      forget();
      reply.close();
    },
    read: async () => {
      let bytes: Uint8Array | undefined;
      try {
        bytes = await reply.read();
      } catch (error) {
        throw failure(error);
      }
      if (bytes === undefined) forget();
      left -= bytes?.length ?? 0;
      if (left >= 0) return bytes;
      forget();
      reply.close();
      throw new FetchError("too_large", `The answer is longer than ${maxBytes / 1024} KiB.`);
    },
  };
}
