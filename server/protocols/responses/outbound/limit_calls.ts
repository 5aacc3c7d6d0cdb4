/**
 * At most as many calls as the client takes: a provider that knows no `parallel_tool_calls`, or no
 * `tool_choice`, makes more. The others are left out, streamed or not, as on every wire.
 */

import type { ItemKey, ModelEvent } from "../../canonical/event.ts";
import type { StateMachine } from "../../stream/state_machine.ts";

interface Calls {
  readonly most: number;
  readonly started: number;
  /** Calls that are left out. */
  readonly dropped: ReadonlySet<ItemKey>;
}

function take(calls: Calls, event: ModelEvent): Calls | undefined {
  if (event.type !== "item" || event.item.type !== "call") {
    return "itemKey" in event && event.itemKey !== undefined && calls.dropped.has(event.itemKey)
      ? undefined
      : calls;
  }
  return calls.started < calls.most ? { ...calls, started: calls.started + 1 } : undefined;
}

function step(calls: Calls, events: readonly ModelEvent[]): readonly [Calls, readonly ModelEvent[]] {
  let now = calls;
  const out: ModelEvent[] = [];
  for (const event of events) {
    const taken = take(now, event);
    if (taken !== undefined) out.push(event);
    else if (event.type === "item") now = { ...now, dropped: new Set([...now.dropped, event.itemKey]) };
    now = taken ?? now;
  }
  return [now, out];
}

const none = (most: number): Calls => ({ most, started: 0, dropped: new Set() });

/** Keeps the events of a whole answer that the client takes. */
export function limitCalls(events: readonly ModelEvent[], most: number): readonly ModelEvent[] {
  return most === Infinity ? events : step(none(most), events)[1];
}

export interface CallCountState<State> {
  readonly inner: State;
  readonly calls: Calls;
}

/** The machine, with what the client does not take left out of what it says. */
export function withCallLimit<State, In>(
  machine: StateMachine<State, In, ModelEvent>,
  most: number,
): StateMachine<CallCountState<State>, In, ModelEvent> {
  return {
    initial: { inner: machine.initial, calls: none(most) },
    step: (state, event) => {
      const [inner, received] = machine.step(state.inner, event);
      const [calls, events] = step(state.calls, received);
      return [{ inner, calls }, events];
    },
    finish: (state) => step(state.calls, machine.finish?.(state.inner) ?? [])[1],
  };
}
