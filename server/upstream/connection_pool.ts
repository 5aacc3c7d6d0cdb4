/** The connections to one origin, kept between calls. Each of them carries calls of one credential only. */

import type { ProxyAddress } from "../config/proxies.ts";
import type { Cancel, Clock } from "../runtime.ts";
import type { BufferedSocket } from "../http1/buffered_socket.ts";
import type { AbortSignalLike } from "./call_abort.ts";
import { connect, type Destination } from "./connect.ts";
import { Lists } from "./connection_lists.ts";
import { TwoTurnsLater } from "./event_loop_turns.ts";

export interface ConnectionPoolOptions extends Destination {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included. */
  readonly connectMs: number;
}

export interface ReleaseOptions {
  readonly credentialHash: string;
  /** Milliseconds that the connection may be unused. */
  readonly restMs: number;
}

/** Unused connections kept for one origin, whatever their credentials. */
const MAX_IDLE = 256;

/** An unused connection. */
interface Idle {
  readonly connection: BufferedSocket;
  readonly credentialHash: string;
  /** Monotonic ms. */
  readonly since: number;
  /** Monotonic ms: not used again from then on. */
  readonly until: number;
  /** Ends its deadline. */
  readonly cancel: Cancel;
}

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** All unused connections, the longest unused one first. */
  readonly #idle = new Map<BufferedSocket, Idle>();
  /** Those that may be used, by credential, the last used one last. */
  readonly #ready = new Lists<Idle>();
  /** All connections, used or not. */
  readonly #open = new Set<BufferedSocket>();
  readonly #later: TwoTurnsLater<Idle>;
  #connecting = 0;
  #closed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#later = new TwoTurnsLater((idle) => this.#becomeReady(idle));
  }

  /** That which answers in the place of the origin, where there is one: requests name their whole address. */
  get plainProxy(): ProxyAddress | undefined {
    const { proxy, secure } = this.#options;
    return secure ? undefined : proxy;
  }

  /** The unused connection of this credential that was used last: it is the least likely to be closed by now. */
  take(credentialHash: string): BufferedSocket | undefined {
    for (;;) {
      const idle = this.#ready.last(credentialHash);
      if (idle === undefined) return undefined;
      const { connection, until } = idle;
      this.#takeOut(idle);
      // A deadline runs late in a process that was held still.
      if (connection.quiet && this.#options.clock.monotonic() < until) return connection;
      this.drop(connection);
    }
  }

  /** How many connections there are, those included that are being made. */
  get size(): number {
    return this.#open.size + this.#connecting;
  }

  /** Since when the longest unused connection is unused, monotonic ms; Infinity where none is. */
  get idleSince(): number {
    for (const { since } of this.#idle.values()) return since;
    return Infinity;
  }

  /** A new connection; rejects as {@link connect} does. */
  async connect(signal: AbortSignalLike): Promise<BufferedSocket> {
    this.#connecting++;
    try {
      const connection = await connect(this.#options, { ...this.#options, signal });
      if (this.#closed) connection.close();
      this.#open.add(connection);
      return connection;
    } finally {
      this.#connecting--;
    }
  }

  /**
   * Keeps a connection for another request, if it is fit for one. Two turns of the event loop must have brought
   * nothing before it is used: a provider that sends an answer too many sends it right behind the one that was
   * expected, and the next caller would take it for the answer to their own request.
   */
  release(connection: BufferedSocket, { credentialHash, restMs }: ReleaseOptions): void {
    if (!connection.quiet || this.#closed || restMs <= 0) return this.drop(connection);
    if (this.#idle.size >= MAX_IDLE) this.dropLongestIdle();
    const { clock } = this.#options;
    const since = clock.monotonic();
    const idle: Idle = {
      connection,
      credentialHash,
      since,
      until: since + restMs,
      cancel: clock.after(restMs, () => this.#lost(connection)),
    };
    this.#idle.set(connection, idle);
    connection.rest(this.#lost);
    this.#later.add(idle);
  }

  drop(connection: BufferedSocket, error?: unknown): void {
    this.#open.delete(connection);
    connection.close(error);
  }

  dropLongestIdle(): void {
    const [longest] = this.#idle.keys();
    if (longest !== undefined) this.#lost(longest);
  }

  dropIdle(): void {
    for (const connection of [...this.#idle.keys()]) this.#lost(connection);
  }

  /** Closes everything, connections in use included. */
  close(): void {
    this.#closed = true;
    this.#later.clear();
    this.dropIdle();
    for (const connection of [...this.#open]) this.drop(connection);
  }

  /** Unless it has ended, or brought something, since it was released. */
  #becomeReady(idle: Idle): void {
    if (this.#idle.get(idle.connection) === idle) this.#ready.add(idle.credentialHash, idle);
  }

  /** It is unused no longer. */
  #takeOut(idle: Idle): void {
    const { connection, credentialHash, cancel } = idle;
    connection.wake();
    cancel();
    this.#idle.delete(connection);
    this.#ready.remove(credentialHash, idle);
  }

  /** Its time is over, it has ended, or it has brought an answer that belongs to no request. */
  readonly #lost = (connection: BufferedSocket): void => {
    const idle = this.#idle.get(connection);
    if (idle === undefined) return;
    this.#takeOut(idle);
    this.drop(connection);
  };
}
