/**
 * The second door: a platform that listens itself and hands requests in. It hears a client that leaves only as far
 * as `Deno.serve` does: ARCHITECTURE.md, "How a stream is built".
 */

import { asResponse } from "./reply.ts";
import type { Listening, ListenOptions } from "./listen.ts";

/** Throws what `Deno.serve` throws. */
export function servePlatform(
  { hostname, port, answer }: Pick<ListenOptions, "hostname" | "port" | "answer">,
): Listening {
  const server = Deno.serve(
    { hostname, port, onListen: () => {} },
    async (request, { remoteAddr }) => asResponse(await answer(request, () => remoteAddr.hostname)),
  );
  const { addr } = server;
  // What outlasts a shutdown there ends with the process.
  return { addr, shutdown: () => server.shutdown(), cut: () => {} };
}
