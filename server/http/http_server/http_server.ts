/**
 * The gateway's own HTTP/1.1 server. `Deno.serve` stops watching a connection whose request comes in more than one
 * packet, so it does not hear a client that leaves while a whole answer is awaited (promises S3).
 */

// deno-lint-ignore tollgate/pauses -- no pause of work: a socket that was closed is given back by then
import { setImmediate } from "node:timers";
import { BufferedSocket } from "../http1/buffered_socket.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import { isShortage } from "../http1/shortage.ts";
import { ClientConnection } from "./client_connection.ts";
import { isDisconnect } from "./protocol_error.ts";
import { IdleConnections } from "./idle_connections.ts";
import { LogLimiter, type WriteLog } from "./log_limiter.ts";
import type { HttpHandler, HttpServerLimits } from "./http_server_options.ts";
import { ReplyHeadWriter } from "./reply.ts";
import { type OpenSpare, SpareFile } from "./spare_file.ts";
import { ConnectionDeadlines } from "./connection_deadlines.ts";
import { EventLoopYield } from "./event_loop_yield.ts";

/** An API that is open. */
export interface ListeningServer {
  readonly addr: Deno.NetAddr;
  /**
   * Takes no more connections and resolves when those in use have ended; idle ones are closed, those that have served
   * requests after `lastRequestsMs`.
   */
  shutdown(): Promise<void>;
  /** Closes every connection, whatever is under way. */
  abort(): void;
}

/** Options of the HTTP server. */
export interface HttpServerOptions extends HttpHandler {
  readonly clock: Clock;
  readonly limits: HttpServerLimits;
  /** Milliseconds in which kept connections may bring a request more at a stop; 0 closes them at once. */
  readonly lastRequestsMs: number;
  /** Told what an operator should know. */
  readonly warn: WriteLog;
  readonly openSpare: OpenSpare;
}

export interface ListenOptions extends HttpServerOptions {
  readonly hostname: string;
  readonly port: number;
}

/** Bytes of a reply or of a chunk of a stream whose room is kept for the next one. */
const MAX_KEPT = 4 * 1024;

/** Bytes of an upload that are read at a time: with 32 KiB one of 100 MiB takes a fifth longer. */
const MAX_READ = 256 * 1024;

/** Time for what is missing (open files, memory) to come back. */
const RETRY_MS = 100;

/** Connections beyond the limit that are kept for long enough to tell their clients so. */
const MAX_OVER_LIMIT = 32;

/** How long the limit stays lowered after a lack of files: by then they may be free again. */
const LOWERED_MS = 60_000;

const LIMIT_EVICTS = "Connection limit reached: closing idle ones";
const LIMIT_REFUSES = "Connection limit reached: answering 503";

/** Listens; throws what `Deno.listen` throws. */
export function listen(options: ListenOptions): ListeningServer {
  const { hostname, port } = options;
  return new HttpServer(Deno.listen({ hostname, port }), options);
}

/** An open API on a listener that is there already. */
export class HttpServer implements ListeningServer {
  readonly addr: Deno.NetAddr;
  readonly #listener: Deno.TcpListener;
  readonly #options: HttpServerOptions;
  readonly #sweeper: ConnectionDeadlines<ClientConnection>;
  readonly #heads: ReplyHeadWriter;
  readonly #turns = new EventLoopYield();
  readonly #idle: IdleConnections;
  readonly #log: LogLimiter;
  readonly #spare: SpareFile;
  /** Connections that are open and have not been evicted. */
  #open = 0;
  /** The limit that was found when files were short, and how long it holds. */
  #lowered = Infinity;
  #loweredUntil = -Infinity;
  /** The next connection takes the last file descriptor. */
  #outOfFiles = false;
  // deno-lint-ignore tollgate/kept-promises -- a server stops once
  #closed: Promise<void> | undefined;
  #ended = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(listener: Deno.TcpListener, options: HttpServerOptions) {
    this.addr = asNetAddr(listener.addr);
    this.#listener = listener;
    this.#options = options;
    this.#sweeper = new ConnectionDeadlines(options.clock);
    this.#heads = new ReplyHeadWriter(options.clock);
    this.#idle = new IdleConnections(options.clock);
    this.#log = new LogLimiter(options.clock, options.warn);
    this.#spare = new SpareFile(options.openSpare);
    void this.#accept();
  }

  shutdown(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      const { clock, lastRequestsMs } = this.#options;
      this.#cancelRetry();
      this.#listener.close();
      this.#spare.release();
      this.#retireAll(lastRequestsMs > 0);
      const cancel = lastRequestsMs > 0
        ? clock.after(lastRequestsMs, () => this.#retireAll(false))
        : undefined;
      this.#ended = () => {
        cancel?.();
        resolve();
      };
      if (this.#sweeper.size === 0) this.#ended();
    });
    return this.#closed;
  }

  #retireAll(oneMore: boolean): void {
    for (const session of this.#sweeper.all()) session.retire(oneMore);
  }

  abort(): void {
    for (const session of this.#sweeper.all()) session.abort();
  }

  /** Never rejects. */
  async #accept(): Promise<void> {
    while (this.#closed === undefined) {
      try {
        const evicted = this.#serve(await this.#listener.accept());
        if (evicted) await nextLoop();
      } catch (error) {
        if (this.#closed !== undefined) return;
        await this.#recover(error);
      }
    }
  }

  /** A client that has left already concerns nobody else; without a free file descriptor nobody can connect. */
  async #recover(error: unknown): Promise<void> {
    if (!isShortage(error)) {
      if (!isDisconnect(error)) this.#log.report("Cannot accept a connection", { error: String(error) });
      return await this.#turns.yieldIfDue();
    }
    this.#log.report("Cannot accept connections: out of files or memory", { error: String(error) });
    this.#lower();
    if (this.#evictDown()) return await nextLoop();
    this.#outOfFiles = this.#spare.release();
    if (!this.#outOfFiles) await this.#pause();
  }

  /** True when another connection was closed for it. */
  #serve(conn: Deno.TcpConn): boolean {
    if (this.#closed !== undefined || !isUsable(conn)) {
      conn.close();
      return false;
    }
    const connections = this.#limit();
    const full = this.#outOfFiles || this.#open >= connections;
    this.#outOfFiles = false;
    const evicted = full && this.#idle.evictLongest();
    if (full) this.#log.report(evicted ? LIMIT_EVICTS : LIMIT_REFUSES, { connections });
    const overLimit = full && !evicted;
    if (overLimit && this.#open >= connections + MAX_OVER_LIMIT) conn.close();
    else this.#run(conn, overLimit);
    return evicted;
  }

  #limit(): number {
    const { clock, limits } = this.#options;
    return clock.monotonic() < this.#loweredUntil ? this.#lowered : limits.connections;
  }

  /** Files are short: half of the connections keep theirs, and the other half is left to calls of providers. */
  #lower(): void {
    this.#lowered = Math.max(1, Math.min(this.#limit(), Math.floor(this.#open / 2)));
    this.#loweredUntil = this.#options.clock.monotonic() + LOWERED_MS;
  }

  /** Closes idle connections until the limit holds, at least one; false when none is idle. */
  #evictDown(): boolean {
    const evicted = this.#idle.evictLongest();
    while (this.#open > this.#lowered && this.#idle.evictLongest());
    return evicted;
  }

  #run(conn: Deno.TcpConn, overLimit: boolean): void {
    const { hostname } = conn.remoteAddr;
    const session = new ClientConnection({
      ...this.#options,
      connection: new BufferedSocket(conn, { maxKept: MAX_KEPT, maxRead: MAX_READ }),
      peer: () => hostname,
      deadlines: this.#sweeper,
      idle: this.#idle,
      headWriter: this.#heads,
      yielding: this.#turns,
      overLimit,
      evicted: this.#evicted,
    });
    this.#open++;
    void session.run().then(this.#over);
  }

  readonly #evicted = (): void => void this.#open--;

  /** `counted`: it was not evicted before. */
  readonly #over = (counted: boolean): void => {
    if (counted) this.#open--;
    if (this.#closed === undefined) this.#spare.refill();
    if (this.#sweeper.size === 0) this.#ended();
  };

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(RETRY_MS, resolve);
      this.#cancelRetry = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Some systems say at the first use of a connection that its client has left already. */
function isUsable(conn: Deno.TcpConn): boolean {
  try {
    conn.setNoDelay();
    return true;
  } catch (_error) {
    // Nobody is there to be told.
    return false;
  }
}

/** Waits until closed sockets have given their file descriptors back. */
const nextLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

const asNetAddr = (addr: Deno.Addr) => addr as Deno.NetAddr;
