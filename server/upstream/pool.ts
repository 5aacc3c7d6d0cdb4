/** The connections to one origin, kept alive between calls. */

import type { Cancel, Clock } from "../world.ts";
import type { Connection } from "./connection.ts";
import type { CutSignal } from "./cut.ts";
import { connect, type Destination } from "./dial.ts";

export interface PoolOptions extends Destination {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included. */
  readonly connectMs: number;
  /** Milliseconds that an unused connection is kept. */
  readonly idleMs: number;
}

/** Unused connections kept for one origin. */
const MAX_IDLE = 256;

export class Pool {
  readonly #options: PoolOptions;
  /** Unused connections, the last used one last. */
  readonly #idle: Connection[] = [];
  /** What ends the deadline of an unused connection. */
  readonly #rests = new Map<Connection, Cancel>();
  /** All of them, used or not. */
  readonly #open = new Set<Connection>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The unused connection that was used last: it is the least likely to be closed by now. */
  take(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      this.#wake(one);
      if (one.quiet) return one;
      this.drop(one);
    }
    return undefined;
  }

  /** A new connection; rejects as {@link connect} does. */
  async connect(signal: CutSignal): Promise<Connection> {
    const connection = await connect(this.#options, { ...this.#options, signal });
    if (this.#closed) connection.close();
    this.#open.add(connection);
    return connection;
  }

  /** Keeps a connection for another request, if it is fit for one. */
  release(connection: Connection): void {
    if (!connection.quiet || this.#closed || this.#idle.length >= MAX_IDLE) return this.drop(connection);
    this.#idle.push(connection);
    const { clock, idleMs } = this.#options;
    this.#rests.set(connection, clock.after(idleMs, () => this.#lost(connection)));
    // Its end, or an answer that nobody asked for: the next caller would take it for his own.
    connection.rest(this.#lost);
  }

  readonly #lost = (connection: Connection): void => {
    if (!this.#wake(connection)) return;
    this.#idle.splice(this.#idle.indexOf(connection), 1);
    this.drop(connection);
  };

  drop(connection: Connection, error?: unknown): void {
    this.#open.delete(connection);
    connection.close(error);
  }

  dropIdle(): void {
    for (let one = this.take(); one !== undefined; one = this.take()) this.drop(one);
  }

  /** Closes everything, connections in use included. */
  close(): void {
    this.#closed = true;
    this.dropIdle();
    for (const connection of [...this.#open]) this.drop(connection);
  }

  /** False when the connection was not at rest. */
  #wake(connection: Connection): boolean {
    connection.wake();
    this.#rests.get(connection)?.();
    return this.#rests.delete(connection);
  }
}
