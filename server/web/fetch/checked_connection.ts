/** Connections of the guarded fetch: to addresses that were checked, or through a proxy. */

import type { ProxyAddress } from "../../config/proxies.ts";
import type { BufferedSocket } from "../../http/http1/buffered_socket.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import type { ConnectOptions, Destination } from "../../providers/upstream/connections/connect.ts";
import type { FindProxy } from "../../providers/upstream/proxy_rules.ts";
import { type FetchTarget, forbiddenHost, isAddress } from "./fetch_target.ts";
import { isPublicAddress } from "./public_address.ts";
import type { Resolver } from "./resolver.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly resolve: Resolver;
  readonly connect: (to: Destination, options: ConnectOptions) => Promise<BufferedSocket>;
  readonly findProxy: FindProxy;
  readonly signal: AbortSignal;
  /** The handshake is left to the user of the connection. */
  readonly raw?: boolean;
}

interface CheckedConnection {
  readonly connection: BufferedSocket;
  /** That which reads the request and passes it on: it wants the whole address. */
  readonly plainProxy: ProxyAddress | undefined;
}

/** Addresses of one name that are tried, and the time for each of them. */
const MAX_ADDRESSES = 4;
const CONNECT_MS = 8_000;
/** How long a name is resolved here that a proxy resolves once more. */
const RESOLVE_MS = 2_000;

/** Rejects with a FetchError for a host that is not public, otherwise as the connection fails. */
export async function openConnection(target: FetchTarget, deps: ConnectionDeps): Promise<CheckedConnection> {
  const proxy = deps.findProxy(target);
  if (proxy === undefined) return { connection: await connectDirectly(target, deps), plainProxy: undefined };
  await checkProxiedName(target, deps);
  const { clock, connect, signal, raw } = deps;
  const { hostname, port, secure } = target;
  const connection = await connect({ hostname, port, secure, raw, proxy }, {
    clock,
    signal,
    connectMs: CONNECT_MS,
  });
  return { connection, plainProxy: secure ? undefined : proxy };
}

/** The name is not resolved a second time. */
async function connectDirectly(target: FetchTarget, deps: ConnectionDeps): Promise<BufferedSocket> {
  const { clock, connect, signal, raw } = deps;
  const { hostname, port, secure } = target;
  const addresses = await addressesOf(target, deps);
  if (addresses.length === 0) throw new Error(`dns error: ${hostname} has no address`);
  checkAddresses(target, addresses);
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await connect({ hostname, port, secure, raw, address }, {
        clock,
        signal,
        connectMs: CONNECT_MS,
      });
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

/**
 * A proxy resolves names itself, and this network may resolve none: where it does, the addresses are checked all the
 * same, though the proxy may come to others.
 */
async function checkProxiedName(target: FetchTarget, deps: ConnectionDeps): Promise<void> {
  if (target.trusted) return;
  const { clock, signal } = deps;
  let cancel: Cancel | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    cancel = clock.after(RESOLVE_MS, () => resolve([]));
  });
  const found = addressesOf(target, deps).catch((error: unknown): readonly string[] => {
    if (signal.aborted) throw error;
    return [];
  });
  try {
    checkAddresses(target, await Promise.race([found, late]));
  } finally {
    cancel?.();
  }
}

/** All of them must be public: a name that has one other address is aimed at it. */
function checkAddresses({ hostname, trusted }: FetchTarget, addresses: readonly string[]): void {
  if (!trusted && !addresses.every(isPublicAddress)) throw forbiddenHost(hostname);
}

/** A resolver cannot be stopped; nobody waits for it any longer once the signal fires. */
function addressesOf(
  { hostname }: FetchTarget,
  { resolve, signal }: ConnectionDeps,
): Promise<readonly string[]> {
  if (isAddress(hostname)) return Promise.resolve([hostname]);
  return new Promise((found, failed) => {
    const abort = () => failed(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    resolve(hostname).then(found, failed).finally(() => signal.removeEventListener("abort", abort));
  });
}
