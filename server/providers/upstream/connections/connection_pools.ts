/** The connections to all origins: they share the files that the process may have open. */

import type { BufferedSocket } from "../../../http/http1/buffered_socket.ts";
import { isShortage } from "../../../http/http1/shortage.ts";
import type { Clock } from "../../../runtime.ts";
import type { AbortSignalLike } from "../call_abort.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { type FindProxy, noProxies } from "../proxy_rules.ts";
import type { RequestTarget } from "../request_target.ts";
import { twoTurns } from "../event_loop_turns.ts";
import type { SingleUseOrigins } from "./single_use_origins.ts";

export interface PoolsOptions {
  readonly clock: Clock;
  readonly singleUse: SingleUseOrigins;
  /** Milliseconds until a connection must be usable, TLS handshake included; 10 s by default. */
  readonly connectMs?: number;
  /** From so many on an unused one is closed for each that is made; no number by default. */
  readonly connections?: number;
  /** Proxies on the way; none by default. */
  readonly findProxy?: FindProxy;
  /** In PEM, trusted besides the roots that Deno trusts (`DENO_CERT`, `DENO_TLS_CA_STORE`). */
  readonly caCerts?: readonly string[];
}

/** Unused connections to one origin: at 5,000 requests a second the longest unused one has been so for 25 ms. */
const MANY_IDLE = 128;

export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, ConnectionPool>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  to(target: RequestTarget): ConnectionPool {
    const known = this.#pools.get(target.origin);
    if (known !== undefined) return known;
    const { origin, hostname, port, secure } = target;
    const { connectMs = 10_000, connections = Infinity, findProxy = noProxies, ...shared } = this.#options;
    const proxy = findProxy(target);
    const enough = Math.min(MANY_IDLE, Math.floor(connections / 4));
    const pool = new ConnectionPool({ ...shared, origin, hostname, port, secure, proxy, connectMs, enough });
    this.#pools.set(target.origin, pool);
    return pool;
  }

  /**
   * A new connection. A process that has no file left for it closes what is unused and tries again. Rejects as
   * {@link ConnectionPool.connect} does.
   */
  async connect(pool: ConnectionPool, signal: AbortSignalLike): Promise<BufferedSocket> {
    this.#makeRoom();
    try {
      return await pool.connect(signal);
    } catch (error) {
      if (!isShortage(error)) throw error;
      for (const one of this.#pools.values()) one.dropIdle();
      // Deno gives the file of a connection back one event-loop turn after it was closed.
      await twoTurns();
      return await pool.connect(signal);
    }
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.close();
  }

  #makeRoom(): void {
    const { connections = Infinity } = this.#options;
    let open = 0;
    let longest: ConnectionPool | undefined;
    for (const pool of this.#pools.values()) {
      open += pool.size;
      if (pool.idleSince < (longest?.idleSince ?? Infinity)) longest = pool;
    }
    if (open >= connections) longest?.dropLongestIdle();
  }
}
