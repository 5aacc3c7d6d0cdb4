/** Translators as values: a fold over events (ARCHITECTURE.md, Invariants). */

import { ownValue } from "../../../shared/util/own_value.ts";

/** A state and what came out on the way to it. */
export type StepResult<State, Out> = readonly [State, readonly Out[]];

/**
 * A fold. `step` is pure: it returns the next state and what comes out. `finish` says what comes out when the
 * input ends without a word (a cut stream, a missing terminator).
 */
export interface StateMachine<State, In, Out> {
  readonly initial: State;
  step(state: State, event: In): StepResult<State, Out>;
  finish?(state: State): readonly Out[];
}

/** One handler of a table built for {@link stepByType}. */
export type StepHandler<State, Event, Out> = (state: State, event: Event) => StepResult<State, Out>;

/** The members of a union whose `type` may be `T`. */
type Of<Event, T> = Event extends { readonly type: infer K } ? (T extends K ? Event : never) : never;

/** A handler for each `type` of a union: the type checker asks for the missing ones. */
type StepHandlers<State, Event extends { readonly type: string }, Out> = {
  readonly [T in Event["type"]]: StepHandler<State, Of<Event, T>, Out>;
};

/** Builds a `step` from a table of small handlers keyed by the event's `type`. */
export function stepByType<State, Event extends { readonly type: string }, Out>(
  table: StepHandlers<State, Event, Out>,
): StepHandler<State, Event, Out> {
  return (state, event) => asHandler<State, Event, Out>(table, event.type)(state, event);
}

/** The table's key and the event's type are the same word, which the type checker cannot follow. */
function asHandler<State, Event, Out>(table: object, type: string): StepHandler<State, Event, Out> {
  return ownValue(table as Readonly<Record<string, StepHandler<State, Event, Out>>>, type) ??
    unknownType(type);
}

function unknownType(type: string): never {
  throw new Error(`Cannot step: no handler for an event of type "${type.slice(0, 60)}"`);
}

/** Takes one step after the other and collects what comes out. */
export function runSteps<State, Out>(
  state: State,
  steps: readonly ((state: State) => StepResult<State, Out>)[],
): StepResult<State, Out> {
  const [first] = steps;
  if (first === undefined) return [state, []];
  if (steps.length === 1) return first(state);
  let now = state;
  const out: Out[] = [];
  for (const step of steps) {
    const [next, events] = step(now);
    now = next;
    for (const event of events) out.push(event);
  }
  return [now, out];
}

/** Folds a whole list at once: what a machine says to `events` and, unless it has none, to their end. */
export function foldEvents<State, In, Out>(
  machine: StateMachine<State, In, Out>,
  events: readonly In[],
): Out[] {
  const out: Out[] = [];
  let state = machine.initial;
  for (const event of events) {
    const [next, some] = machine.step(state, event);
    state = next;
    for (const one of some) out.push(one);
  }
  for (const one of machine.finish?.(state) ?? []) out.push(one);
  return out;
}
