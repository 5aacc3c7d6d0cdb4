/**
 * Steps over the whole text of a long request (parsing, checking, rendering, sending) take tens of milliseconds each.
 * One of them at a time, whichever request it belongs to, and everybody else has a turn between two.
 */

/** Characters or bytes from which on a step is long. */
const LONG = 1024 * 1024;

export const isLongText = (size: number): boolean => size >= LONG;

const turn = () =>
  new Promise<void>((resolve) => {
    // deno-lint-ignore tollgate/clock-only-in-runtime -- no deadline: the shortest time in which the runtime does nothing else
    setTimeout(resolve, 0);
  });

/** In the first turn the runtime finds out what the network has brought, in the second it is served. */
async function twoTurns(): Promise<void> {
  await turn();
  await turn();
}

let last: Promise<void> = Promise.resolve();

/** Resolves when the caller may take its next long step, and must take it at once. */
export function nextLongStep(): Promise<void> {
  return last = last.then(twoTurns);
}
