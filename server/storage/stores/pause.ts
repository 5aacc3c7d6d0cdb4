/** The pause before a commit that met another writer is tried again. */

import type { Runtime } from "../../runtime.ts";

export interface PauseRuntime extends Pick<Runtime, "clock"> {
  /** Uniform in [0, 1). Absent where only one process and one caller write: then pauses are not spread. */
  readonly random?: Runtime["random"];
}

/** Most that the first pause lasts, in ms; it doubles with each try. */
const FIRST_MS = 10;
const LONGEST_MS = 250;

const middle = () => 0.5;

/**
 * Waits before try number `tries` (the first is 0). The first repetition comes at once, because the other writer is
 * done by then; later ones wait for a random time that grows, or many writers would meet again and again.
 */
export async function pauseBefore(tries: number, { clock, random = middle }: PauseRuntime): Promise<void> {
  if (tries < 2) return;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 2));
  await new Promise<void>((resolve) => clock.after(random() * longest, resolve));
}
