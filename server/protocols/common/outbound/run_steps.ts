/** Steps of a parser of provider's events, strung together. */

import type { ModelEvent } from "../../canonical/event.ts";

/** A state and what came out on the way to it. */
export type StepResult<State> = readonly [State, readonly ModelEvent[]];

/** Takes one step after the other and collects what comes out. */
export function runSteps<State>(
  state: State,
  steps: readonly ((state: State) => StepResult<State>)[],
): StepResult<State> {
  const [first] = steps;
  if (first === undefined) return [state, []];
  if (steps.length === 1) return first(state);
  let now = state;
  const out: ModelEvent[] = [];
  for (const step of steps) {
    const [next, events] = step(now);
    now = next;
    for (const event of events) out.push(event);
  }
  return [now, out];
}
