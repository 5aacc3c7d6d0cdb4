/** The connections to one origin: kept alive between calls, given up when they cannot be made or are not needed. */

import { Agent as HttpAgent, type ClientRequest, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import type { Cancel, Clock } from "../world.ts";
import { TransportError } from "./transport.ts";

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Milliseconds until a connection must be usable, TLS handshake included. */
  readonly connectMs: number;
  /** Milliseconds that an unused connection is kept. */
  readonly idleMs: number;
  /**
   * Made once: left to itself, `node:https` goes through every trusted certificate for each new connection,
   * and trusts other ones than `fetch` does.
   */
  readonly secureContext: SecureContext;
}

/** Unused connections kept for one origin. */
const MAX_IDLE = 256;
const MAX_HEADER_BYTES = 64 * 1024;

/** Name and value in turns: `node:http` takes a list for half the price of an object. */
export type HeaderList = readonly string[];

export class Connections {
  readonly #agent: HttpAgent;
  readonly #start: typeof httpRequest;
  readonly #target: {
    readonly hostname: string;
    readonly port: string | number;
    readonly servername: string;
  };
  /** Bytes that a kept connection had brought before it was used for a request again. */
  readonly #broughtBefore = new WeakMap<ClientRequest, number>();
  /** Ends the rest of a connection that is unused. */
  readonly #rests = new WeakMap<Duplex, Cancel>();

  constructor(origin: URL, options: ConnectionOptions) {
    const secure = origin.protocol === "https:";
    const hostname = origin.hostname.replace(/^\[|\]$/g, "");
    this.#target = {
      hostname,
      port: origin.port || (secure ? 443 : 80),
      servername: isIP(hostname) === 0 ? hostname : "",
    };
    this.#start = secure ? httpsRequest : httpRequest;
    const { secureContext } = options;
    const pool = { keepAlive: true, maxSockets: Infinity, maxFreeSockets: MAX_IDLE, secureContext };
    this.#agent = secure ? new HttpsAgent(pool) : new HttpAgent(pool);
    this.#agent.getName = () => origin.origin;
    this.#limitConnecting({ ...options, ready: secure ? "secureConnect" : "connect" });
    this.#limitIdle(options);
  }

  /** A request that waits for its body. Throws when the path or a header holds what HTTP cannot carry. */
  request(path: string, headers: HeaderList): ClientRequest {
    return this.#start({
      ...this.#target,
      agent: this.#agent,
      method: "POST",
      path,
      headers,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  /**
   * Whether a request that failed was sent over a kept connection that brought nothing back: the other side
   * had closed it meanwhile.
   */
  wasStale(request: ClientRequest): boolean {
    const before = this.#broughtBefore.get(request);
    return before !== undefined && request.socket?.bytesRead === before;
  }

  /** Closes what is unused; the next request makes a connection of its own. */
  dropIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of [...sockets ?? []]) socket.destroy();
    }
  }

  /** Closes everything, requests under way included. */
  close(): void {
    this.#agent.destroy();
  }

  #limitConnecting({ clock, connectMs, ready }: Connecting): void {
    const agent = this.#agent;
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const socket = connect(options, callback);
      if (!socket) return socket;
      const cancel = clock.after(connectMs, () => {
        socket.destroy(new TransportError("connect_timeout", `Cannot connect within ${connectMs} ms`));
      });
      socket.once(ready, cancel);
      socket.once("close", () => {
        cancel();
        this.#rests.get(socket)?.();
      });
      return socket;
    };
  }

  /**
   * Unused connections are closed in the end, and at once when they bring what nobody asked for: it would be
   * taken for the next caller's answer.
   */
  #limitIdle({ clock, idleMs }: ConnectionOptions): void {
    const agent = this.#agent;
    const keep = agent.keepSocketAlive.bind(agent);
    const reuse = agent.reuseSocket.bind(agent);
    agent.keepSocketAlive = (socket) => {
      // False, which the types do not say, when the provider is about to close it.
      const kept: unknown = keep(socket);
      if (kept === false) return kept;
      this.#rests.set(socket, clock.after(idleMs, () => socket.destroy()));
      socket.on("data", dropSender);
      return kept;
    };
    agent.reuseSocket = (socket, request) => {
      reuse(socket, request);
      this.#rests.get(socket)?.();
      socket.off("data", dropSender);
      // Deno would repeat the request whenever its kept connection ends, also when we are the one who ends it.
      request.reusedSocket = false;
      if (socket instanceof Socket) this.#broughtBefore.set(request, socket.bytesRead);
    };
  }
}

interface Connecting {
  readonly clock: Clock;
  readonly connectMs: number;
  /** The event that says the connection is usable. */
  readonly ready: "connect" | "secureConnect";
}

function dropSender(this: Duplex): void {
  this.destroy();
}
