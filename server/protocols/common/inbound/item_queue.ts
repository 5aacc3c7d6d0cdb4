/**
 * Items of one answer, one after the other (promises S5): what a provider interleaves is put in order by holding
 * back the events of later items until the item before them has ended.
 */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  FailureEvent,
  ItemDoneEvent,
  ItemEvent,
  ItemKey,
  PassthroughEvent,
  TextEvent,
} from "../../canonical/event.ts";

/** The end of a stream that has told none. */
export const streamCut: FailureEvent = {
  type: "failure",
  failure: { kind: "upstream_failed", message: "The provider's stream ended before it was complete." },
};

/** An event of another wire that belongs to an item. */
export type ItemPassthroughEvent = PassthroughEvent & { readonly itemKey: ItemKey };

/** Whatever belongs to one item. */
export type ItemPartEvent =
  | ItemEvent
  | TextEvent
  | ArgumentsEvent
  | AnnotationEvent
  | ItemPassthroughEvent
  | ItemDoneEvent;

type LaterEvent = Exclude<ItemPartEvent, ItemEvent>;

/** An item that waits for its turn. */
export interface QueuedItem {
  readonly at: ItemKey;
  readonly opening: ItemEvent;
  /** Its events so far, the last one first: thus adding one copies nothing. */
  readonly later: QueuedEvent | undefined;
  readonly done: boolean;
}

interface QueuedEvent {
  readonly event: LaterEvent;
  readonly before: QueuedEvent | undefined;
}

/** Order of the items in a renderer's state. */
interface ItemOrder {
  /** The item that is open. */
  readonly current?: { readonly at: ItemKey };
  readonly queued: readonly QueuedItem[];
}

type Step<State, Out> = readonly [State, readonly Out[]];

/** Renders one event of the item whose turn it is: `item` opens `current`, `item_done` removes it. */
type RenderItemEvent<State, Out> = (state: State, event: ItemPartEvent) => Step<State, Out>;

/** Builds the handler that renders an event when its item's turn has come, and holds it back until then. */
export function inTurn<State extends ItemOrder, Out>(
  render: RenderItemEvent<State, Out>,
): RenderItemEvent<State, Out> {
  return (state, event) => {
    if (event.type === "item" ? state.current !== undefined : state.current?.at !== event.itemKey) {
      return [{ ...state, queued: holdBack(state, event) }, []];
    }
    const step = render(state, event);
    return event.type === "item_done" ? releaseQueued(step, render) : step;
  };
}

/**
 * Queues the events of items that are not open; an event of no known item came too late or too early, and is left
 * out.
 */
function holdBack({ current, queued }: ItemOrder, event: ItemPartEvent): readonly QueuedItem[] {
  if (event.type === "item") {
    const isKnown = current?.at === event.itemKey || queued.some(({ at }) => at === event.itemKey);
    return isKnown
      ? queued
      : [...queued, { at: event.itemKey, opening: event, later: undefined, done: false }];
  }
  const which = queued.findIndex(({ at, done }) => at === event.itemKey && !done);
  return queued.map((one, at) =>
    at === which ? { ...one, later: { event, before: one.later }, done: event.type === "item_done" } : one
  );
}

/** Renders the items that waited, up to the first one that is not whole. */
function releaseQueued<State extends ItemOrder, Out>(
  [state, soFar]: Step<State, Out>,
  render: RenderItemEvent<State, Out>,
): Step<State, Out> {
  if (state.queued.length === 0) return [state, soFar];
  let next = state;
  const out = [...soFar];
  while (next.current === undefined) {
    const [first, ...queued] = next.queued;
    if (first === undefined) break;
    next = { ...next, queued };
    for (const event of eventsOf(first)) {
      const [after, some] = render(next, event);
      next = after;
      out.push(...some);
    }
  }
  return [next, out];
}

/** The events of a waiting item in the order in which they came. */
function eventsOf({ opening, later }: QueuedItem): readonly ItemPartEvent[] {
  const events: LaterEvent[] = [];
  for (let one = later; one !== undefined; one = one.before) events.push(one.event);
  return [opening, ...events.reverse()];
}

interface ItemRenderer<State, Out> {
  readonly render: RenderItemEvent<State, Out>;
  /** Closes the open item, whose provider has not said that it is whole. */
  readonly close: (state: State) => Step<State, Out>;
}

/** The answer is over: closes the open item, renders what still waits, and closes that too. */
export function closeAll<State extends ItemOrder, Out>(
  state: State,
  { render, close }: ItemRenderer<State, Out>,
): Step<State, Out> {
  const out: Out[] = [];
  let next = state;
  while (next.current !== undefined) {
    const [after, events] = releaseQueued(close(next), render);
    next = after;
    out.push(...events);
  }
  return [next, out];
}
