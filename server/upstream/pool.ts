/** The connections to one origin, kept alive between calls. */

import type { Cancel, Clock } from "../world.ts";
import type { Connection } from "./connection.ts";
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
  readonly #used = new Set<Connection>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The unused connection that was used last: it is the least likely to be closed by now. */
  take(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      this.#wake(one);
      if (one.quiet) {
        this.#used.add(one);
        return one;
      }
      one.close();
    }
    return undefined;
  }

  /** A new connection; rejects as {@link connect} does. */
  async connect(signal: AbortSignal): Promise<Connection> {
    const connection = await connect(this.#options, { ...this.#options, signal });
    if (this.#closed) connection.close();
    this.#used.add(connection);
    return connection;
  }

  /** Keeps a connection for another request, if it is fit for one. */
  release(connection: Connection): void {
    this.#used.delete(connection);
    if (!connection.quiet || this.#closed || this.#idle.length >= MAX_IDLE) return connection.close();
    const drop = () => {
      if (!this.#wake(connection)) return;
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      connection.close();
    };
    this.#idle.push(connection);
    this.#rests.set(connection, this.#options.clock.after(this.#options.idleMs, drop));
    // Its end, or an answer that nobody asked for: the next caller would take it for his own.
    connection.more().then(drop, drop);
  }

  drop(connection: Connection, error?: unknown): void {
    this.#used.delete(connection);
    connection.close(error);
  }

  dropIdle(): void {
    for (let one = this.take(); one !== undefined; one = this.take()) this.drop(one);
  }

  /** Closes everything, connections in use included. */
  close(): void {
    this.#closed = true;
    this.dropIdle();
    for (const connection of [...this.#used]) this.drop(connection);
  }

  /** False when the connection was not at rest. */
  #wake(connection: Connection): boolean {
    this.#rests.get(connection)?.();
    return this.#rests.delete(connection);
  }
}
