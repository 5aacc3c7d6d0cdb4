/** Translators as values: a fold over events (architecture.md, invariant 1). */

/**
 * A fold. `step` is pure: it returns the next state and what comes out. `finish` says what comes out when the
 * input ends without a word (a cut stream, a missing terminator).
 */
export interface Machine<State, In, Out> {
  readonly initial: State;
  step(state: State, event: In): readonly [State, readonly Out[]];
  finish?(state: State): readonly Out[];
}

/** One handler of a table built for {@link byType}. */
export type Handler<State, Event, Out> = (state: State, event: Event) => readonly [State, readonly Out[]];

/**
 * Builds a `step` from a table of small handlers keyed by the event's `type`; `otherwise` takes the types
 * that the table does not name.
 */
export function byType<State, Event extends { readonly type: string }, Out>(
  table: Readonly<Partial<Record<string, Handler<State, Event, Out>>>>,
  otherwise: Handler<State, Event, Out>,
): Handler<State, Event, Out> {
  const handlers = new Map(Object.entries(table));
  return (state, event) => (handlers.get(event.type) ?? otherwise)(state, event);
}

/** Folds a whole list at once: what a machine says to `events` and, unless told otherwise, to their end. */
export function fold<State, In, Out>(machine: Machine<State, In, Out>, events: readonly In[]): Out[] {
  const out: Out[] = [];
  let state = machine.initial;
  for (const event of events) {
    const [next, some] = machine.step(state, event);
    state = next;
    out.push(...some);
  }
  if (machine.finish !== undefined) out.push(...machine.finish(state));
  return out;
}
