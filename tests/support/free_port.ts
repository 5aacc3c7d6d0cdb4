/** Ports for programs that take no port of the system's choosing. */

/** Ports below those that systems give out, so that no other program gets one before the start. */
const [LEAST, MOST] = [10_000, 30_000];
/** The one of them that `fetch` and browsers refuse to call. */
const BLOCKED = 10_080;

/** A port of the loopback that nobody listens on, drawn anew each time. */
export function freePort(): number {
  for (;;) {
    const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
    const port = LEAST + drawn % (MOST - LEAST);
    if (port === BLOCKED) continue;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
