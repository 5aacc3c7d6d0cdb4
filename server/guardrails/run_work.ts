/** Runs the reading of texts: at once where that takes a moment, else in turns between which other work runs. */

import type { Work } from "./text_scanner.ts";

export interface RunDeps {
  readonly clock: { monotonic(): number };
  /** Lets other work run. Who shares it shares its turns: one takes place between two pauses. */
  readonly pause: () => Promise<void>;
  /** Whether nobody waits for the work any more. */
  readonly isLeft?: () => boolean;
}

/** Nobody waits for the work any more. */
export class WorkLeft extends Error {
  override readonly name = "WorkLeft";
}

/** A work has taken more time than one may have. */
export class WorkTooLong extends Error {
  override readonly name = "WorkTooLong";
}

/** Milliseconds of a turn, and of one work in all. */
const MS_AT_ONCE = 5;
const MOST_MS = 30_000;
/** Milliseconds of work that has just come, while other work waits for its turn. */
const MS_IN_BETWEEN = 1;

/** How many works wait for a turn, and the end of the last turn that is planned. */
interface Turns {
  waiting: number;
  last: Promise<void>;
}

const allTurns = new WeakMap<RunDeps["pause"], Turns>();

function turnsOf(pause: RunDeps["pause"]): Turns {
  let turns = allTurns.get(pause);
  if (turns === undefined) allTurns.set(pause, turns = { waiting: 0, last: Promise.resolve() });
  return turns;
}

/** Throws what the work throws, WorkTooLong, and WorkLeft where nobody waits for it. */
export function runWork<T>(work: Work<T>, deps: RunDeps): T | Promise<T> {
  const turns = turnsOf(deps.pause);
  const most = turns.waiting > 0 ? MS_IN_BETWEEN : MS_AT_ONCE;
  const turn = takeTurn(work, { ...deps, most });
  return "value" in turn ? turn.value : runInTurns(work, { ...deps, turns, spent: turn.spent });
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
  readonly turns: Turns;
  readonly spent: number;
}

async function runInTurns<T>(work: Work<T>, { turns, spent: before, ...deps }: InTurns): Promise<T> {
  turns.waiting++;
  try {
    for (let spent = before; spent <= MOST_MS;) {
      await nextTurn(turns, deps.pause);
      if (deps.isLeft?.() === true) throw new WorkLeft("Nobody waits for it");
      const turn = takeTurn(work, { ...deps, most: MS_AT_ONCE });
      if ("value" in turn) return turn.value;
      spent += turn.spent;
    }
  } finally {
    turns.waiting--;
  }
  throw new WorkTooLong(`Reading took longer than ${MOST_MS / 1_000} s`);
}

/** Resolves when it is the caller's turn, which lasts until it waits again. */
function nextTurn(turns: Turns, pause: RunDeps["pause"]): Promise<void> {
  const own = turns.last.then(pause);
  // A pause that fails is told to its caller; those behind it have theirs.
  const ignore = () => {};
  turns.last = own.then(ignore, ignore);
  return own;
}
