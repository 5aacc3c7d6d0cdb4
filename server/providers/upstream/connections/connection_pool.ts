/** The connections to one origin, kept between calls. Each of them carries calls of one credential only. */

import type { ProxyAddress } from "../../../config/proxies.ts";
import type { Clock } from "../../../runtime.ts";
import type { BufferedSocket } from "../../../http/http1/buffered_socket.ts";
import type { AbortSignalLike } from "../call_abort.ts";
import { connect, type Destination } from "./connect.ts";
import { ConnectionLists, type Idle } from "./connection_lists.ts";
import { twoTurns, TwoTurnsLater } from "../event_loop_turns.ts";
import { REUSE_DELAY_MS, ReuseDelay } from "./reuse_delay.ts";
import type { SingleUseOrigins } from "./single_use_origins.ts";
import { UnrequestedBytes } from "../transport.ts";

interface ConnectionPoolOptions extends Destination {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included. */
  readonly connectMs: number;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly singleUse: SingleUseOrigins;
  /** From so many unused ones on one is used before its delay is over, sooner than that another one is made. */
  readonly enough: number;
}

interface ReleaseOptions {
  readonly credentialHash: string;
  /** Milliseconds that the connection may be unused; 0 where it may carry no other request. */
  readonly restMs: number;
}

/** Unused connections kept for one origin, whatever their credentials. */
const MAX_IDLE = 256;

/** A connection for a request that was used before. */
export interface KeptConnection {
  readonly connection: BufferedSocket;
  /**
   * Monotonic ms: what it brings before that may be a response too many to the request before; 0 where its delay was
   * over.
   */
  readonly delayedUntil: number;
}

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** All unused connections, the longest unused one first. */
  readonly #idle = new Map<BufferedSocket, Idle>();
  readonly #lists = new ConnectionLists();
  /** All connections, used or not. */
  readonly #open = new Set<BufferedSocket>();
  readonly #later: TwoTurnsLater<Idle>;
  readonly #delay: ReuseDelay;
  #connecting = 0;
  #closed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    // Unless it is used, has ended or has brought something since it was released.
    this.#later = new TwoTurnsLater((idle) => idle.state === "new" && this.#lists.addDelayed(idle));
    this.#delay = new ReuseDelay(options.clock, (idle) => this.#lists.makeReady(idle));
  }

  /** That which answers in the place of the origin, where there is one: requests name their whole address. */
  get plainProxy(): ProxyAddress | undefined {
    const { proxy, secure } = this.#options;
    return secure ? undefined : proxy;
  }

  /**
   * The unused connection of this credential that was used last: it is the least likely to be closed by now. Where no
   * delay is over and many are unused already, the one that has waited longest.
   */
  take(credentialHash: string): KeptConnection | undefined {
    for (;;) {
      const ready = this.#lists.lastReady(credentialHash);
      const idle = ready ?? this.#longestDelayed(credentialHash);
      if (idle === undefined) return undefined;
      const { connection, since, until } = idle;
      this.#takeOut(idle);
      // A deadline runs late in a process that was held still.
      if (connection.quiet && this.#options.clock.monotonic() < until) {
        return { connection, delayedUntil: ready === undefined ? since + REUSE_DELAY_MS : 0 };
      }
      this.drop(connection);
    }
  }

  #longestDelayed(credentialHash: string): Idle | undefined {
    return this.#idle.size < this.#options.enough ? undefined : this.#lists.longestDelayed(credentialHash);
  }

  /**
   * Whether the response that comes now is taken for that to the request. Not where the origin has sent one too many
   * and this one comes so soon behind the one before that it might be another.
   */
  isCredible({ delayedUntil }: KeptConnection): boolean {
    return delayedUntil === 0 || this.#options.clock.monotonic() >= delayedUntil || !this.#isSingleUse;
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
      if (this.#isSingleUse) await this.#listen(connection);
      return connection;
    } catch (error) {
      if (error instanceof Error && error.cause instanceof UnrequestedBytes) this.distrust();
      throw error;
    } finally {
      this.#connecting--;
    }
  }

  /** Whether a new connection brings something before it has carried a request. */
  async #listen(connection: BufferedSocket): Promise<void> {
    connection.rest(() => {});
    await twoTurns();
    connection.wake();
    if (!connection.hasBytes) return;
    this.drop(connection);
    this.distrust();
    throw new UnrequestedBytes("it sends something before it is asked");
  }

  get #isSingleUse(): boolean {
    return this.#options.singleUse.has(this.#options.origin);
  }

  /** The origin has sent bytes that belong to no request: no connection to it carries another request for a while. */
  distrust(): void {
    this.#options.singleUse.add(this.#options.origin);
    this.dropIdle();
  }

  /**
   * Takes back a connection whose response is complete, and keeps it for another request if it is fit for one. A
   * provider that sends a response too many sends it behind the one that was expected, and the next caller would take
   * it for the response to their own request: so nothing must come for a while before it is used.
   */
  release(connection: BufferedSocket, { credentialHash, restMs }: ReleaseOptions): void {
    if (connection.hasBytes) this.distrust();
    if (!connection.quiet || this.#closed || restMs <= 0 || this.#isSingleUse) return this.drop(connection);
    if (this.#idle.size >= MAX_IDLE) this.dropLongestIdle();
    const { clock } = this.#options;
    const since = clock.monotonic();
    const idle: Idle = {
      state: "new",
      connection,
      credentialHash,
      since,
      until: since + restMs,
      cancel: clock.after(restMs, () => this.#lost(connection)),
    };
    this.#idle.set(connection, idle);
    connection.rest(this.#lost);
    this.#later.add(idle);
    this.#delay.add(idle);
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
    this.#delay.clear();
    this.dropIdle();
    for (const connection of [...this.#open]) this.drop(connection);
  }

  /** It is unused no longer. */
  #takeOut(idle: Idle): void {
    const { connection, cancel } = idle;
    connection.wake();
    cancel();
    this.#idle.delete(connection);
    this.#lists.remove(idle);
  }

  /** Its time is over, it has ended, or it has brought bytes that belong to no request. */
  readonly #lost = (connection: BufferedSocket): void => {
    const idle = this.#idle.get(connection);
    if (idle === undefined) return;
    this.#takeOut(idle);
    const isUnrequested = connection.hasBytes;
    this.drop(connection);
    if (isUnrequested) this.distrust();
  };
}
