/**
 * The second door: a platform that listens itself and hands requests in. It hears a client that leaves only as far
 * as `Deno.serve` does: README.md here.
 */

import { malformed, type Problem } from "./protocol_error.ts";
import { asResponse } from "./reply.ts";
import type { Listening, ListenOptions } from "./http_server.ts";

/** The platform undoes chunks and nothing else: a body in another coding would be taken for what it is not. */
function codingProblem({ headers }: Request): Problem | undefined {
  const coding = headers.get("transfer-encoding");
  if (coding === null || coding.toLowerCase() === "chunked") return undefined;
  return malformed("the only Transfer-Encoding is chunked");
}

/** Throws what `Deno.serve` throws. */
export function servePlatform(
  { hostname, port, answer, refuse }: Pick<ListenOptions, "hostname" | "port" | "answer" | "refuse">,
): Listening {
  const server = Deno.serve(
    { hostname, port, onListen: () => {} },
    async (request, { remoteAddr }) => {
      const problem = codingProblem(request);
      if (problem !== undefined) return refuse(problem);
      return await asResponse(await answer(request, () => remoteAddr.hostname));
    },
  );
  const { addr } = server;
  // What outlasts a shutdown there ends with the process.
  return { addr, shutdown: () => server.shutdown(), cut: () => {} };
}
