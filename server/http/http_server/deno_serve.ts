/**
 * The second API: a platform that listens itself and hands requests in. It hears a client that leaves only as far
 * as `Deno.serve` does: README.md here.
 */

import { malformedRequest, type ProtocolError } from "./protocol_error.ts";
import { toResponse } from "./reply.ts";
import type { ListeningServer, ListenOptions } from "./http_server.ts";

/** The platform undoes chunks and nothing else: a body in another coding would be taken for what it is not. */
function codingProblem({ headers }: Request): ProtocolError | undefined {
  const coding = headers.get("transfer-encoding");
  if (coding === null || coding.toLowerCase() === "chunked") return undefined;
  return malformedRequest("the only Transfer-Encoding is chunked");
}

/** Throws what `Deno.serve` throws. */
export function listenWithDenoServe(
  { hostname, port, handle, protocolError }: Pick<
    ListenOptions,
    "hostname" | "port" | "handle" | "protocolError"
  >,
): ListeningServer {
  const server = Deno.serve(
    { hostname, port, onListen: () => {} },
    async (request, { remoteAddr }) => {
      const problem = codingProblem(request);
      if (problem !== undefined) return protocolError(problem);
      return toResponse(await handle(request, () => remoteAddr.hostname), request.method);
    },
  );
  const { addr } = server;
  // What outlasts a shutdown there ends with the process.
  return { addr, shutdown: () => server.shutdown(), abort: () => {} };
}
