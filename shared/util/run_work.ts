/** Runs work that may be long: at once where it takes a moment, else in turns between which other work runs. */

import { isTurnAwaited, nextTurn, type Pause } from "./turns.ts";

/** A step that yields offers a pause: the code that runs the work decides whether to take it. */
export type Work<T> = Generator<undefined, T>;

export interface RunDeps {
  readonly clock: { monotonic(): number };
  /** Lets other work run. Who shares it shares its turns: one takes place between two pauses. */
  readonly pause: Pause;
  /** Whether no caller waits for the work any more. */
  readonly isLeft?: () => boolean;
  /** Milliseconds that the work may take in all: half a minute. */
  readonly mostMs?: number;
}

/** Thrown where no caller waits for the work any more. */
export class WorkLeft extends Error {
  override readonly name = "WorkLeft";
}

/** A work has taken more time than one may have. */
export class WorkTooLong extends Error {
  override readonly name = "WorkTooLong";
}

/** Milliseconds of a turn, and of one work in all. */
const MS_AT_ONCE = 5;
export const MOST_MS = 30_000;
/** Milliseconds of work that has just come, while other work waits for its turn. */
const MS_IN_BETWEEN = 1;

/** Runs without a pause. */
export function runNow<T>(work: Work<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Runs without a pause what has to be there at once. Throws WorkTooLong where more pauses are offered than that. */
export function runBriefly<T>(work: Work<T>, mostPauses: number): T {
  for (let pauses = 0; pauses <= mostPauses; pauses++) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
  throw new WorkTooLong(`Reading took more than ${mostPauses} pauses`);
}

/** Throws what the work throws, WorkTooLong, and WorkLeft where no caller waits for it. */
export function runWork<T>(work: Work<T>, deps: RunDeps): T | Promise<T> {
  const most = isTurnAwaited(deps.pause) ? MS_IN_BETWEEN : MS_AT_ONCE;
  const turn = takeTurn(work, { ...deps, most });
  return "value" in turn ? turn.value : runInTurns(work, { ...deps, spent: turn.spent });
}

type Turn<T> = { readonly value: T } | { readonly spent: number };

/** Ends with the work, or when it has run for `most` milliseconds. */
function takeTurn<T>(work: Work<T>, { clock, most }: RunDeps & { readonly most: number }): Turn<T> {
  const started = clock.monotonic();
  for (;;) {
    const step = work.next();
    if (step.done === true) return { value: step.value };
    const spent = clock.monotonic() - started;
    if (spent > most) return { spent };
  }
}

interface InTurns extends RunDeps {
  readonly spent: number;
}

async function runInTurns<T>(work: Work<T>, { spent: before, ...deps }: InTurns): Promise<T> {
  const { mostMs = MOST_MS } = deps;
  for (let spent = before; spent <= mostMs;) {
    await nextTurn(deps.pause);
    if (deps.isLeft?.() === true) throw new WorkLeft("Nobody waits for it");
    const turn = takeTurn(work, { ...deps, most: MS_AT_ONCE });
    if ("value" in turn) return turn.value;
    spent += turn.spent;
  }
  throw new WorkTooLong(`Reading took longer than ${mostMs / 1_000} s`);
}
