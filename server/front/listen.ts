/**
 * The gateway's own HTTP/1.1 server. `Deno.serve` stops watching a connection whose request comes in more than one
 * packet, so it does not hear a client that leaves while a whole answer is awaited (promises S3).
 */

import { Connection } from "../http1/connection.ts";
import type { Cancel, Clock } from "../world.ts";
import type { Answering, FrontLimits } from "./session.ts";
import { Heads } from "./reply.ts";
import { Session } from "./session.ts";
import { Sweeper } from "./sweeper.ts";
import { Turns } from "./turns.ts";

/** A door that is open. */
export interface Listening {
  readonly addr: Deno.NetAddr;
  /** Takes no more connections and resolves when those in use have ended; idle ones are closed. */
  shutdown(): Promise<void>;
  /** Closes every connection, whatever is under way. */
  cut(): void;
}

/** What stands behind the door. */
export interface FrontOptions extends Answering {
  readonly clock: Clock;
  readonly limits: FrontLimits;
}

export interface ListenOptions extends FrontOptions {
  readonly hostname: string;
  readonly port: number;
}

/** Bytes of a reply or of a piece of a stream whose room is kept for the next one. */
const MAX_KEPT = 4 * 1024;

/** Time for what is missing (open files, memory) to come back. */
const RETRY_MS = 100;

/** Listens; throws what `Deno.listen` throws. */
export function listen(options: ListenOptions): Listening {
  const { hostname, port } = options;
  return new Front(Deno.listen({ hostname, port }), options);
}

/** An open door on a listener that is there already. */
export class Front implements Listening {
  readonly addr: Deno.NetAddr;
  readonly #listener: Deno.TcpListener;
  readonly #options: FrontOptions;
  readonly #sweeper: Sweeper<Session>;
  readonly #heads: Heads;
  readonly #turns = new Turns();
  #closed: Promise<void> | undefined;
  #ended = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(listener: Deno.TcpListener, options: FrontOptions) {
    this.addr = asNetAddr(listener.addr);
    this.#listener = listener;
    this.#options = options;
    this.#sweeper = new Sweeper(options.clock);
    this.#heads = new Heads(options.clock);
    void this.#accept();
  }

  shutdown(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#ended = resolve;
      this.#cancelRetry();
      this.#listener.close();
      for (const session of this.#sweeper.all()) session.retire();
      if (this.#sweeper.size === 0) resolve();
    });
    return this.#closed;
  }

  cut(): void {
    for (const session of this.#sweeper.all()) session.cut();
  }

  /** Never rejects. */
  async #accept(): Promise<void> {
    while (this.#closed === undefined) {
      try {
        this.#serve(await this.#listener.accept());
      } catch (error) {
        if (this.#closed !== undefined) return;
        // Too many open files, or a client that left before it was let in.
        this.#options.failed(error);
        await this.#pause();
      }
    }
  }

  #serve(conn: Deno.TcpConn): void {
    if (this.#closed !== undefined) return conn.close();
    try {
      conn.setNoDelay();
    } catch (_error) {
      // Some systems say so of a client that has left already.
      return conn.close();
    }
    const { hostname } = conn.remoteAddr;
    const session = new Session({
      ...this.#options,
      connection: new Connection(conn, { maxKept: MAX_KEPT }),
      peer: () => hostname,
      sweeper: this.#sweeper,
      heads: this.#heads,
      turns: this.#turns,
    });
    void session.run().then(this.#over);
  }

  readonly #over = (): void => {
    if (this.#sweeper.size === 0) this.#ended();
  };

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(RETRY_MS, resolve);
      const cancelRetry = () => {
        cancel();
        resolve();
      };
      this.#cancelRetry = cancelRetry;
    });
  }
}

const asNetAddr = (addr: Deno.Addr) => addr as Deno.NetAddr;
