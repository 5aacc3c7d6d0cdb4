/** What the HTTP server and each of its connections are given. */

import type { Connection } from "../http1/buffered_socket.ts";
import type { IdleConnections } from "./idle_connections.ts";
import type { Problem } from "./protocol_error.ts";
import type { Answered, Heads } from "./reply.ts";
import type { ClientRequest } from "./incoming_request.ts";
import type { Sweeper } from "./connection_deadlines.ts";
import type { Turns } from "./event_loop_yield.ts";

/** In milliseconds; each may last up to a second longer. */
export interface FrontLimits {
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

/** Who answers the requests. */
export interface Answering {
  readonly answer: (request: ClientRequest, peer: () => string) => Answered | Promise<Answered>;
  /** The reply to what is no request. */
  readonly refuse: (problem: Problem) => Response;
  /** Told of what should not happen. */
  readonly failed: (error: unknown) => void;
}

export interface SessionOptions extends Answering {
  readonly connection: Connection;
  readonly peer: () => string;
  readonly limits: FrontLimits;
  readonly sweeper: Sweeper;
  readonly idle: IdleConnections;
  readonly heads: Heads;
  readonly turns: Turns;
  /** There are too many connections: the first request gets 503, and there is no second one. */
  readonly overLimit: boolean;
  /** Called when it is closed because there are too many connections. */
  readonly evicted: () => void;
}
