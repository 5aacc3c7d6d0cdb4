/**
 * Model events → the same answer one item after the other (promises S5): for the API whose clients read a
 * message from its beginning to its end. An item's last word is told as the chunks that were missing; exactly one
 * end comes, and comes last.
 */

import type { FailureEvent, FinishEvent, ItemEvent, ModelEvent } from "../../canonical/event.ts";
import type { ItemStatus, OutputItem } from "../../canonical/item.ts";
import { type StateMachine, stepByType } from "../../stream/state_machine.ts";
import {
  appendEvent,
  type AssembledItem,
  assembledItem,
  completeFrom,
  openAssembly,
  type OrderedEvent,
} from "./item_assembly.ts";
import { closeAll, inTurn, type ItemPartEvent, type QueuedItem, streamCut } from "./item_queue.ts";

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
    finish: (state) => state.ended ? [] : fail(state, streamCut)[1],
  };
}

const renderInTurn = inTurn(renderItemEvent);

const handle = stepByType<OrderState, ModelEvent, OrderedEvent>({
  begin: (state) => [state, []],
  item: renderInTurn,
  text: renderInTurn,
  refusal: renderInTurn,
  thought: renderInTurn,
  summary: renderInTurn,
  arguments: renderInTurn,
  annotation: renderInTurn,
  item_done: renderInTurn,
  foreign: (state, event) => [state, event.itemKey === undefined ? [event] : []],
  finish,
  failure: fail,
});

function renderItemEvent(state: OrderState, event: ItemPartEvent): Step {
  if (event.type === "item") return openItem(state, event);
  const { current } = state;
  if (current?.at !== event.itemKey || event.type === "foreign") return [state, []];
  if (event.type !== "item_done") {
    const [grown, events] = appendEvent(current, event);
    return [{ ...state, current: grown }, events];
  }
  const [whole, events] = completeFrom(current, event);
  const [closed, end] = close({ ...state, current: whole }, "completed");
  return [closed, [...events, ...end]];
}

function openItem(state: OrderState, event: ItemEvent): Step {
  const { items } = state;
  const item = withCallId(event.item, `call_${state.suffix}_${items}`);
  const next = { ...state, items: items + 1, current: openAssembly(event.itemKey, item) };
  return [next, [{ type: "open", item, index: items }]];
}

/** Calls need a call id that the client can answer to, whether or not the provider gave one. */
function withCallId(item: OutputItem, callId: string): OutputItem {
  return item.type === "call" && item.callId === "" ? { ...item, callId } : item;
}

function close(state: OrderState, status: ItemStatus): Step {
  const { current } = state;
  if (current === undefined) return [state, []];
  const item = assembledItem(current);
  return [{ ...state, current: undefined }, [{ type: "close", item, status: statusOf(item, status) }]];
}

/** Where the provider said that the item is incomplete, it is, whatever became of the answer. */
function statusOf(item: OutputItem, status: ItemStatus): ItemStatus {
  if (item.type === "foreign" || item.status === undefined || item.status === "in_progress") return status;
  return item.status === "completed" ? status : item.status;
}

function finish(state: OrderState, event: FinishEvent): Step {
  const status = event.reason === "stop" ? "completed" : "incomplete";
  const [closed, events] = closeAll(state, {
    render: renderItemEvent,
    close: (open) => close(open, status),
  });
  return [{ ...closed, ended: true }, [...events, event]];
}

/** Nothing is said to be done that was not. */
function fail(state: OrderState, event: FailureEvent): Step {
  return [{ ...state, ended: true }, [event]];
}
