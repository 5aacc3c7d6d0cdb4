/**
 * The same way as the guarded fetch, for programs that speak TLS themselves: a connection to an address that was
 * checked. What they say over it nobody here can read.
 */

import type { ConnectionDeps } from "./checked_connection.ts";
import { openConnection } from "./checked_connection.ts";
import { checkAllowed, type FetchPolicy, fetchTarget } from "./fetch_target.ts";
import { toFetchError } from "./guarded_fetch.ts";

interface GuardedTunnelDeps extends Omit<ConnectionDeps, "signal" | "raw"> {
  readonly policy: FetchPolicy;
}

interface TunnelInput {
  /** `https://host:port/`. */
  readonly url: string;
  readonly allows: (url: URL) => boolean;
  readonly signal: AbortSignal;
}

type TunnelConnection = Awaited<ReturnType<typeof openConnection>>["connection"];

/** Rejects with a FetchError, or with the signal's reason. */
export type GuardedTunnel = (input: TunnelInput) => Promise<TunnelConnection>;

export function createGuardedTunnel(deps: GuardedTunnelDeps): GuardedTunnel {
  return async ({ url, allows, signal }) => {
    const target = fetchTarget(url, deps.policy);
    checkAllowed(target, allows);
    try {
      return (await openConnection(target, { ...deps, signal, raw: true })).connection;
    } catch (error) {
      signal.throwIfAborted();
      throw toFetchError(error, target);
    }
  };
}
