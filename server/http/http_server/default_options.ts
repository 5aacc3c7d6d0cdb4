/** Deadlines of client connections, and what else the HTTP server is given by default. */

import type { Runtime } from "../../runtime.ts";
import type { HttpServerOptions } from "./http_server.ts";
import type { HttpServerLimits } from "./http_server_options.ts";

const FIRST_BYTE_MS = 10_000;
const HEAD_MS = 30_000;
/** Longer than load balancers keep a connection, so that it is they who close it. */
const IDLE_MS = 75_000;

/** Options of the HTTP server that do not depend on who handles requests. */
export function httpServerOptions(
  { clock, log }: Runtime,
  { writeStallMs, connections }: Pick<HttpServerLimits, "writeStallMs" | "connections">,
): Omit<HttpServerOptions, "handle" | "protocolError"> {
  const failed = (error: unknown) => {
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    log.error("Internal error on client connection", { error: text });
  };
  const limits = {
    connections,
    firstByteMs: FIRST_BYTE_MS,
    headMs: HEAD_MS,
    idleMs: IDLE_MS,
    writeStallMs,
  };
  return { clock, limits, lastRequestsMs: 0, onError: failed, warn: log.warn, openSpare: () => undefined };
}
