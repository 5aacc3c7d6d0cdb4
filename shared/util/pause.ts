/**
 * Pauses of long work, in which the runtime looks at what the network has brought. It looks only when it has nothing
 * else to do, or after dozens of turns: `setImmediate` would give it something else to do at once.
 */

/** Runs `then` behind a pause; returns what calls it off. */
export function afterPause(then: () => void): () => void {
  // deno-lint-ignore tollgate/clock-only-in-runtime -- no deadline: the shortest time in which the runtime does nothing else
  const timer = setTimeout(then, 0);
  return () => clearTimeout(timer);
}

export const pause = (): Promise<void> => new Promise((resolve) => void afterPause(resolve));
