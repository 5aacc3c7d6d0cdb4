/**
 * Model events → the same answer one item after the other (promises S5): for the API whose clients read a
 * message from its beginning to its end. What a provider interleaves is put in order by letting later items
 * wait; an item's last word is told as the chunks that were missing; exactly one end comes, and comes last.
 */

import type {
  AnnotationEvent,
  ArgumentsEvent,
  FailureEvent,
  FinishEvent,
  ItemDoneEvent,
  ItemEvent,
  ItemKey,
  ModelEvent,
  PassthroughEvent,
  TextEvent,
} from "../../../canonical/event.ts";
import type { ItemStatus, OutputItem } from "../../../canonical/item.ts";
import { type StateMachine, stepByType } from "../../../stream/state_machine.ts";
import {
  appendEvent,
  type AssembledItem,
  assembledItem,
  completeFrom,
  openAssembly,
  type OrderedEvent,
} from "./item_assembly.ts";

/** Events of an item that waits for its turn, the last one first. */
interface QueuedItem {
  readonly at: ItemKey;
  readonly opening: ItemEvent;
  readonly later: Later | undefined;
  readonly done: boolean;
}

interface Later {
  readonly event: Growth | ItemDoneEvent;
  readonly before: Later | undefined;
}

type Growth = TextEvent | ArgumentsEvent | AnnotationEvent;

export interface OrderState {
  /** Goes into the ids of calls that the provider left nameless. */
  readonly suffix: string;
  readonly items: number;
  readonly current?: AssembledItem;
  readonly queued: readonly QueuedItem[];
  readonly ended: boolean;
}

type Step = readonly [OrderState, readonly OrderedEvent[]];

export function orderEvents(suffix: string): StateMachine<OrderState, ModelEvent, OrderedEvent> {
  return {
    initial: { suffix, items: 0, queued: [], ended: false },
    step: (state, event) => state.ended ? [state, []] : handle(state, event),
    finish: (state) => state.ended ? [] : fail(state, cut)[1],
  };
}

const cut: FailureEvent = {
  type: "failure",
  failure: { kind: "upstream_failed", message: "The provider's stream ended before it was complete." },
};

const handle = stepByType<OrderState, ModelEvent, OrderedEvent>({
  begin: (state) => [state, []],
  item: openItem,
  text: growItem,
  refusal: growItem,
  thought: growItem,
  summary: growItem,
  arguments: growItem,
  annotation: growItem,
  item_done: closeItem,
  foreign: (state: OrderState, _: PassthroughEvent) => [state, []],
  finish,
  failure: fail,
});

function openItem(state: OrderState, event: ItemEvent): Step {
  const { current, queued: waiting, items } = state;
  if (current === undefined) {
    const item = isClientCall(event.item, `call_${state.suffix}_${items}`);
    const next = { ...state, items: items + 1, current: openAssembly(event.itemKey, item) };
    return [next, [{ type: "open", item, index: items }]];
  }
  if (current.at === event.itemKey || waiting.some(({ at }) => at === event.itemKey)) return [state, []];
  const one: QueuedItem = { at: event.itemKey, opening: event, later: undefined, done: false };
  return [{ ...state, queued: [...waiting, one] }, []];
}

/** Calls need a call id that the client can answer to, whether or not the provider gave one. */
function isClientCall(item: OutputItem, callId: string): OutputItem {
  return item.type === "call" && item.callId === "" ? { ...item, callId } : item;
}

function growItem(state: OrderState, event: Growth): Step {
  const { current } = state;
  if (current?.at !== event.itemKey) return queueEvent(state, event);
  const [grown, events] = appendEvent(current, event);
  return [{ ...state, current: grown }, events];
}

/** What belongs to no item that is open was said too late, or too early. */
function queueEvent(state: OrderState, event: Growth | ItemDoneEvent): Step {
  const which = state.queued.findIndex(({ at, done }) => at === event.itemKey && !done);
  if (which < 0) return [state, []];
  const waiting = state.queued.map((one, at): QueuedItem =>
    at === which ? { ...one, later: { event, before: one.later }, done: event.type === "item_done" } : one
  );
  return [{ ...state, queued: waiting }, []];
}

function closeItem(state: OrderState, event: ItemDoneEvent): Step {
  const { current } = state;
  if (current?.at !== event.itemKey) return queueEvent(state, event);
  const [complete, events] = completeFrom(current, event);
  return close({ ...state, current: complete }, { status: "completed", events });
}

interface Closing {
  readonly status: ItemStatus;
  /** What comes before the end of the item. */
  readonly events: readonly OrderedEvent[];
}

/** Closes the open item and lets the next one speak. */
function close(state: OrderState, { status, events }: Closing): Step {
  const { current } = state;
  if (current === undefined) return [state, events];
  const item = assembledItem(current);
  const out = [...events, { type: "close", item, status: statusOf(item, status) } as const];
  return releaseQueued({ ...state, current: undefined }, out);
}

/** Where the provider said that the item is incomplete, it is, whatever became of the answer. */
function statusOf(item: OutputItem, status: ItemStatus): ItemStatus {
  if (item.type === "foreign" || item.status === undefined || item.status === "in_progress") return status;
  return item.status === "completed" ? status : item.status;
}

/** Plays back the items that waited, until one of them is not complete. */
function releaseQueued(state: OrderState, soFar: readonly OrderedEvent[]): Step {
  let next = state;
  const out = [...soFar];
  while (next.current === undefined) {
    const [first, ...waiting] = next.queued;
    if (first === undefined) break;
    next = { ...next, queued: waiting };
    for (const event of replayQueued(first)) {
      const [after, some] = replay(next, event);
      next = after;
      out.push(...some);
    }
  }
  return [next, out];
}

/** One event of an item whose turn it is; its end is told here, so that playing back does not nest. */
function replay(state: OrderState, event: ItemEvent | Growth | ItemDoneEvent): Step {
  if (event.type === "item") return openItem(state, event);
  if (event.type !== "item_done") return growItem(state, event);
  const { current } = state;
  if (current?.at !== event.itemKey) return [state, []];
  const [complete, events] = completeFrom(current, event);
  const item = assembledItem(complete);
  const status = statusOf(item, "completed");
  return [{ ...state, current: undefined }, [...events, { type: "close", item, status }]];
}

/** The events of a waiting item in the order in which they came. */
function replayQueued({ opening, later }: QueuedItem): readonly (ItemEvent | Growth | ItemDoneEvent)[] {
  const events: (Growth | ItemDoneEvent)[] = [];
  for (let one = later; one !== undefined; one = one.before) events.push(one.event);
  return [opening, ...events.reverse()];
}

/** Closes what is open, item by item, then ends. */
function finish(state: OrderState, event: FinishEvent): Step {
  const status = event.reason === "stop" ? "completed" : "incomplete";
  const out: OrderedEvent[] = [];
  let next = state;
  while (next.current !== undefined) {
    const [after, events] = close(next, { status, events: [] });
    next = after;
    out.push(...events);
  }
  return [{ ...next, ended: true }, [...out, event]];
}

/** Nothing is said to be done that was not. */
function fail(state: OrderState, event: FailureEvent): Step {
  return [{ ...state, ended: true }, [event]];
}
