/** The connections to one origin, kept alive between calls. */

import type { Cancel, Clock } from "../world.ts";
import type { Connection } from "../http1/connection.ts";
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

/** An unused connection. */
interface Resting {
  readonly connection: Connection;
  /** Ends its deadline. */
  readonly cancel: Cancel;
}

export class Pool {
  readonly #options: PoolOptions;
  /** Unused connections, the last used one last. */
  readonly #idle: Resting[] = [];
  /** All of them, used or not. */
  readonly #open = new Set<Connection>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The unused connection that was used last: it is the least likely to be closed by now. */
  take(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      wake(one);
      if (one.connection.quiet) return one.connection;
      this.drop(one.connection);
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
    const { clock, idleMs } = this.#options;
    this.#idle.push({ connection, cancel: clock.after(idleMs, () => this.#lost(connection)) });
    // Its end, or an answer that nobody asked for: the next caller would take it for his own.
    connection.rest(this.#lost);
  }

  readonly #lost = (connection: Connection): void => {
    const at = this.#idle.findIndex((one) => one.connection === connection);
    const [resting] = at === -1 ? [] : this.#idle.splice(at, 1);
    if (resting === undefined) return;
    wake(resting);
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
}

function wake({ connection, cancel }: Resting): void {
  connection.wake();
  cancel();
}
