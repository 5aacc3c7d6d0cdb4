/** Pull-based batches: the one shape in which events travel (promises S6: nothing is read before it is asked for). */

import type { StateMachine } from "./state_machine.ts";

/** Result of a pull: the next batch, or undefined after the last one. At once where it is here already. */
export type PullResult<T> = readonly T[] | undefined | Promise<readonly T[] | undefined>;

/**
 * A stream of batches. `pull` is never called while a call is pending. `cancel` lets go of what is below, at once,
 * and may be called at any time.
 */
export interface Source<T> {
  pull(): PullResult<T>;
  cancel(reason: string): void;
}

/** Looks at what was pulled: now, where it is here already, so that a whole answer passes all its watchers at once. */
export function mapPulled<T, Out>(
  pulled: PullResult<T>,
  see: (batch: readonly T[] | undefined) => PullResult<Out>,
): PullResult<Out> {
  return pulled instanceof Promise ? pulled.then(see) : see(pulled);
}

/** A source of batches that are already here. */
export function sourceFrom<T>(...batches: readonly (readonly T[])[]): Source<T> {
  let next = 0;
  return {
    pull: () => next < batches.length ? batches[next++] : undefined,
    cancel: () => {
      next = batches.length;
    },
  };
}

/** A source made by a machine, and the state that the machine is in: it changes with every pull. */
export interface Running<State, Out> extends Source<Out> {
  state(): State;
}

/** The only place where machines meet streams. Empty batches are swallowed. */
export function runMachine<State, In, Out>(
  machine: StateMachine<State, In, Out>,
  source: Source<In>,
): Running<State, Out> {
  let state = machine.initial;
  let ended = false;
  const end = () => {
    ended = true;
    const last = machine.finish?.(state) ?? [];
    return last.length === 0 ? undefined : last;
  };
  const pull = async (): Promise<readonly Out[] | undefined> => {
    while (!ended) {
      const batch = await source.pull();
      if (batch === undefined) return end();
      const out: Out[] = [];
      for (const event of batch) {
        const [next, some] = machine.step(state, event);
        state = next;
        for (const one of some) out.push(one);
      }
      if (out.length > 0) return out;
    }
    return undefined;
  };
  return { pull, cancel: (reason) => source.cancel(reason), state: () => state };
}

/** Puts batches back in front of a source from which they were read. */
export function prepend<T>(batches: readonly (readonly T[])[], rest: Source<T>): Source<T> {
  let next = 0;
  return {
    pull: () => next < batches.length ? batches[next++] : rest.pull(),
    cancel: (reason) => {
      next = batches.length;
      rest.cancel(reason);
    },
  };
}
