/** Runs the reading of texts: at once where that takes a moment, else with pauses in which other work runs. */

import type { Work } from "./text_scanner.ts";

export interface RunDeps {
  readonly clock: { monotonic(): number };
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
}

/** Milliseconds before other work runs, and in all. */
const MS_AT_ONCE = 5;
const MOST_MS = 30_000;

/** Throws what the work throws, and an Error where it takes too long. */
export function runWork<T>(work: Work<T>, deps: RunDeps): T | Promise<T> {
  const started = deps.clock.monotonic();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const spent = deps.clock.monotonic() - started;
    if (spent > MS_AT_ONCE) return runWithPauses(work, { ...deps, spent });
  }
}

async function runWithPauses<T>(
  work: Work<T>,
  { clock, pause, spent: before }: RunDeps & { readonly spent: number },
): Promise<T> {
  for (let spent = before; spent <= MOST_MS;) {
    await pause();
    const started = clock.monotonic();
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (clock.monotonic() - started <= MS_AT_ONCE);
    spent += clock.monotonic() - started;
  }
  throw new Error(`Reading took longer than ${MOST_MS / 1_000} s`);
}
