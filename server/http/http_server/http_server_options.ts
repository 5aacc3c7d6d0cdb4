/** Options that the HTTP server passes to each of its connections. */

import type { BufferedSocket } from "../http1/buffered_socket.ts";
import type { IdleConnections } from "./idle_connections.ts";
import type { ProtocolError } from "./protocol_error.ts";
import type { HttpReply, ReplyHeadWriter } from "./reply.ts";
import type { ClientRequest } from "./incoming_request.ts";
import type { ConnectionDeadlines } from "./connection_deadlines.ts";
import type { EventLoopYield } from "./event_loop_yield.ts";

/** In milliseconds; each may last up to a second longer. */
export interface HttpServerLimits {
  /** Connections that are served at the same time. */
  readonly connections: number;
  /** From the beginning of a connection to its first byte. */
  readonly firstByteMs: number;
  /** From a head's first byte to its last. */
  readonly headMs: number;
  /** How long a connection without a request is kept: longer than the load balancers in front would. */
  readonly idleMs: number;
  /** How long a client may take nothing of what is written to it. */
  readonly writeStallMs: number;
}

/** Handler of the requests. */
export interface HttpHandler {
  readonly handle: (request: ClientRequest, peer: () => string) => HttpReply | Promise<HttpReply>;
  /** The reply to what is no request. */
  readonly protocolError: (problem: ProtocolError) => Response;
  /** Told of what should not happen. */
  readonly onError: (error: unknown) => void;
}

export interface ClientConnectionOptions extends HttpHandler {
  readonly connection: BufferedSocket;
  readonly peer: () => string;
  readonly limits: HttpServerLimits;
  readonly deadlines: ConnectionDeadlines;
  readonly idle: IdleConnections;
  readonly headWriter: ReplyHeadWriter;
  readonly yielding: EventLoopYield;
  /** There are too many connections: the first request gets 503, and there is no second one. */
  readonly overLimit: boolean;
  /** Called when it is closed because there are too many connections. */
  readonly evicted: () => void;
}
