/**
 * The only way to what a caller or a model names by URL: hosts of the public Internet, and those that the operator
 * has allowed (SECURITY.md, Addresses that callers name).
 */

import type { ConnectionDeps } from "./checked_connection.ts";
import type { AbortSignalLike } from "../../providers/upstream/call_abort.ts";
import { connectionFailure } from "../../providers/upstream/connections/connection_failure.ts";
import { TransportError } from "../../providers/upstream/transport.ts";
import { FetchError, type FetchErrorKind } from "./fetch_error.ts";
import { checkAllowed, type FetchPolicy, type FetchTarget, fetchTarget } from "./fetch_target.ts";
import { type HopPost, type HopReply, requestHop } from "./request_hop.ts";

interface GuardedFetchDeps extends Omit<ConnectionDeps, "signal"> {
  readonly policy: FetchPolicy;
}

export interface FetchInput {
  readonly url: string;
  /** Whether a body of this `content-type` is of any use; any other is not read. */
  readonly accepts: (contentType: string) => boolean;
  /** Whether whoever wants it may have this address, asked of every one on the way; absent: each. */
  readonly allows?: (url: URL) => boolean;
  readonly signal: AbortSignalLike;
  /** Sent instead of asking; then no redirect is followed, and its status is told. */
  readonly post?: HopPost;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export interface FetchedResource {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  /** The header as it came; empty where there is none. */
  readonly contentType: string;
  /** Bytes that the server announces. */
  readonly announcedSize: number | undefined;
  /** Decoded, at most {@link MAX_BODY_BYTES}; undefined where the type is not accepted. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Rejects with a FetchError, or with the signal's reason. */
export type GuardedFetch = (input: FetchInput) => Promise<FetchedResource>;

export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return async (input) => {
    input.signal.throwIfAborted();
    const abort = new AbortController();
    let target: FetchTarget | undefined;
    const { timeoutMs = TIMEOUT_MS } = input;
    const late = new FetchError("timeout", `It could not be fetched within ${timeoutMs / 1_000} s.`);
    const cancel = deps.clock.after(timeoutMs, () => abort.abort(late));
    const leave = () => abort.abort(input.signal.reason);
    input.signal.addEventListener("abort", leave);
    try {
      const { accepts, allows, post, maxBytes } = input;
      target = fetchTarget(input.url, deps.policy);
      return await followRedirects(target, {
        ...deps,
        signal: abort.signal,
        accepts,
        allows,
        post,
        maxBytes,
      });
    } catch (error) {
      // What broke because it was aborted is told as the reason for that.
      if (abort.signal.aborted) throw abort.signal.reason;
      throw toFetchError(error, target);
    } finally {
      cancel();
      input.signal.removeEventListener("abort", leave);
    }
  };
}

interface FollowOptions
  extends GuardedFetchDeps, Pick<FetchInput, "accepts" | "allows" | "post" | "maxBytes"> {
  readonly signal: AbortSignal;
}

/** The whole check is made for every URL on the way: no header of one request is sent with the next. */
async function followRedirects(first: FetchTarget, options: FollowOptions): Promise<FetchedResource> {
  let target = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    checkAllowed(target, options.allows);
    const reply = await requestHop(target, options);
    const isRedirect = options.post === undefined && redirectStatuses.has(reply.status);
    const location = isRedirect ? reply.header("location") : null;
    if (location === null) return await readResource(reply, { target, ...options });
    reply.close();
    const next = URL.parse(location, target.url);
    if (next === null) throw new FetchError("bad_response", "It redirects to what is no URL.");
    target = fetchTarget(next, options.policy);
  }
  throw new FetchError("too_many_redirects", `It redirects more than ${MAX_REDIRECTS} times.`);
}

interface ReadOptions extends Pick<FetchInput, "accepts" | "maxBytes"> {
  readonly target: FetchTarget;
}

async function readResource(
  reply: HopReply,
  { target, accepts, maxBytes = MAX_BODY_BYTES }: ReadOptions,
): Promise<FetchedResource> {
  const { url } = target;
  url.hash = "";
  const contentType = reply.header("content-type") ?? "";
  const length = reply.header("content-length");
  const facts = {
    url: url.href,
    status: reply.status,
    contentType,
    announcedSize: length === null ? undefined : Number(length),
  };
  if (!accepts(contentType)) {
    reply.close();
    return { ...facts, body: undefined };
  }
  return { ...facts, body: await reply.bytes(maxBytes) };
}

interface Explanation {
  readonly kind: FetchErrorKind;
  readonly message: (host: string) => string;
}

const connectionBroken: Explanation = {
  kind: "connection",
  message: (host) => `No connection to ${host} could be made.`,
};
const brokenResponse: Explanation = {
  kind: "bad_response",
  message: (host) => `The response of ${host} broke off or is no HTTP.`,
};

const explanations: ReadonlyMap<string | undefined, Explanation> = new Map([
  ["dns", { kind: "dns", message: (host) => `The name ${host} could not be resolved.` }],
  ["tls", { kind: "tls", message: (host) => `No secure connection to ${host} could be made.` }],
  ["too_large", {
    kind: "too_large",
    message: () => `It is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`,
  }],
  ["bad_http", brokenResponse],
  ["cut", brokenResponse],
  ["connection_reset", brokenResponse],
]);

/** Says why a request came to nothing, in words that tell nothing of this network. */
export function toFetchError(error: unknown, target: FetchTarget | undefined): unknown {
  if (error instanceof FetchError || !(error instanceof Error)) return error;
  if (error instanceof TransportError && error.kind === "proxy") {
    return new FetchError("proxy", error.message, { cause: error });
  }
  const { kind, message } = explanations.get(connectionFailure(error).code) ?? connectionBroken;
  return new FetchError(kind, message(target?.hostname ?? "the host"), { cause: error });
}
