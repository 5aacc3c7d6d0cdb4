/**
 * Model events → the event stream of POST /responses, as a machine that cannot emit an invalid order
 * (promises S5): one item after the other, indexes are contiguous, one response id, exactly one terminal event.
 */

import { joinStrings } from "../../../../shared/util/text.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type {
  FailureEvent,
  FinishEvent,
  ItemDoneEvent,
  ItemEvent,
  ModelEvent,
  PassthroughEvent,
} from "../../canonical/event.ts";
import type { ItemStatus, JsonObject, OutputItem } from "../../canonical/item.ts";
import { foldEvents, type StateMachine, stepByType } from "../../stream/state_machine.ts";
import {
  closeAll,
  inTurn,
  type ItemPartEvent,
  type ItemPassthroughEvent,
  type QueuedItem,
  streamCut,
} from "../../common/inbound/item_queue.ts";
import { completeItem } from "./complete_item.ts";
import type { RenderContext, ResponsesStreamEvent } from "./render_context.ts";
import { generateItemId } from "./render_items.ts";
import * as open from "./render_open_item.ts";
import * as pictures from "./render_image_progress.ts";
import {
  failureCode,
  metadataOf,
  renderProgress,
  renderResult,
  type ResultOutcome,
} from "./render_result.ts";

export interface RenderState {
  readonly context: RenderContext;
  readonly sequence: number;
  readonly started: boolean;
  readonly ended: boolean;
  /** Only the last event is asked for: none that tells how the items come about is made. */
  readonly silent: boolean;
  /** Items that are closed, and the last of them: thus closing one copies nothing. */
  readonly closed: number;
  readonly lastClosed: ClosedItem | undefined;
  readonly current?: open.OpenItem;
  readonly queued: readonly QueuedItem[];
}

interface ClosedItem {
  readonly item: JsonObject;
  readonly before: ClosedItem | undefined;
}

type Step = readonly [RenderState, readonly ResponsesStreamEvent[]];

const initial = {
  sequence: 0,
  started: false,
  ended: false,
  silent: false,
  closed: 0,
  lastClosed: undefined,
  queued: [],
} as const;

/** The renderer of one response. Its last event is terminal and carries the whole result object. */
export function renderEvents(
  context: RenderContext,
): StateMachine<RenderState, ModelEvent, ResponsesStreamEvent> {
  return {
    initial: { ...initial, context },
    step,
    finish: (state) => state.ended ? [] : failure(state, streamCut)[1],
  };
}

/** The whole answer as one result object: what the stream's terminal event would have carried. */
export function renderResponse(context: RenderContext, events: readonly ModelEvent[]): JsonObject {
  const machine = renderEvents(context);
  // No client sees the greeting of an answer that is not streamed either.
  const initial: RenderState = { ...machine.initial, started: true, silent: true };
  const response = foldEvents({ ...machine, initial }, events).at(-1)?.response;
  // The machine ends in a terminal event whatever it is fed; anything else is a fault of ours.
  if (!isRecord(response)) throw new Error("Cannot render answer: no terminal event");
  return response;
}

const renderInTurn = inTurn(renderItemEvent);

const handle = stepByType<RenderState, ModelEvent, ResponsesStreamEvent>({
  begin: (state) => [state, []],
  item: renderInTurn,
  text: renderInTurn,
  refusal: renderInTurn,
  thought: renderInTurn,
  summary: renderInTurn,
  arguments: renderInTurn,
  annotation: renderInTurn,
  item_done: renderInTurn,
  foreign: renderPassthroughEvent,
  finish,
  failure,
});

function step(state: RenderState, event: ModelEvent): Step {
  return state.ended ? [state, []] : handle(state, event);
}

const nothing: readonly ResponsesStreamEvent[] = [];

/** Numbers what goes out; opens the response before its first event. */
function emit(state: RenderState, emissions: readonly open.Emission[]): Step {
  if (emissions.length === 0) return [state, nothing];
  const debug = debugEvents(state.context);
  const all = state.started && debug.length === 0
    ? emissions
    : [...debug, ...(state.started ? [] : opening(state)), ...emissions];
  let sequence = state.sequence;
  const events = all.map((emission): ResponsesStreamEvent => ({ ...emission, sequence_number: sequence++ }));
  return [{ ...state, sequence, started: true }, events];
}

function opening(state: RenderState): readonly open.Emission[] {
  const progress = renderProgress(state.context);
  return [
    { type: "response.created", response: progress },
    { type: "response.in_progress", response: progress },
  ];
}

/** Upstream bodies that came up since the last event: those of a turn stand before what the turn says. */
function debugEvents(context: RenderContext): readonly open.Emission[] {
  const bodies = context.takeDebugBodies();
  if (bodies.length === 0 || context.strictEvents) return nothing;
  return bodies.map((body) => ({ type: "response.debug", debug: { echo_upstream_body: body } }));
}

function renderItemEvent(state: RenderState, event: ItemPartEvent): Step {
  if (event.type === "item") return openItem(state, event);
  const { current } = state;
  if (current?.at !== event.itemKey) return [state, []];
  if (event.type === "item_done") return closeItem(state, { current, event });
  if (event.type === "foreign") return renderItemPassthrough(state, { current, event });
  const [grown, emissions] = appendEvent(current, event);
  return emit({ ...state, current: grown }, emissions);
}

/** Opens an item. One that only clients of another wire know is not told here. */
function openItem(state: RenderState, event: ItemEvent): Step {
  if (event.item.type === "foreign" && event.item.wire !== "responses") return [state, nothing];
  const index = state.closed;
  const current: open.OpenItem = {
    at: event.itemKey,
    index,
    id: event.item.id ?? generateItemId(event.item, `${state.context.suffix}_${index}`),
    item: withCallId(event.item, () => joinStrings("call_", state.context.suffix, `_${index}`)),
    include: state.context.include,
    summarized: typeof state.context.echo.reasoning.summary === "string",
    parts: [],
    summary: [],
    arguments: "",
    silent: state.silent,
    imageSteps: 0,
  };
  return emit({ ...state, current }, open.renderItemStart(current));
}

/** Calls need a call id that the client can answer to, whether or not the provider gave one. */
function withCallId(item: OutputItem, callId: () => string): OutputItem {
  return item.type === "call" && item.callId === "" ? { ...item, callId: callId() } : item;
}

type ItemGrowth = Exclude<ItemPartEvent, ItemEvent | ItemDoneEvent | ItemPassthroughEvent>;

function appendEvent(
  current: open.OpenItem,
  event: ItemGrowth,
): readonly [open.OpenItem, readonly open.Emission[]] {
  if (event.type === "arguments") {
    return open.appendArguments(current, { delta: event.delta, extra: event.extra?.responses });
  }
  if (event.type === "annotation") return open.appendAnnotation(current, event);
  return open.appendText(current, event);
}

interface OfOpenItem<Event> {
  readonly current: open.OpenItem;
  readonly event: Event;
}

function closeItem(state: RenderState, { current, event }: OfOpenItem<ItemDoneEvent>): Step {
  const [whole, completing] = completeItem(current, event);
  return closeCurrent(state, { current: whole, before: completing, status: "completed" });
}

interface Closing {
  readonly current: open.OpenItem;
  readonly before: readonly open.Emission[];
  readonly status: ItemStatus;
}

function closeCurrent(state: RenderState, { current, before, status }: Closing): Step {
  const [item, closing] = open.closeItem(current, status);
  return emit(
    {
      ...state,
      current: undefined,
      closed: state.closed + 1,
      lastClosed: { item, before: state.lastClosed },
    },
    state.silent ? [] : [...before, ...pictures.renderImageEnd(current), ...closing],
  );
}

/** The closed items, in the order in which they stand in `output`. */
function outputOf({ lastClosed }: RenderState): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (let one = lastClosed; one !== undefined; one = one.before) items.push(one.item);
  return items.reverse();
}

function renderPassthroughEvent(state: RenderState, event: PassthroughEvent): Step {
  if (event.wire !== "responses" || "response" in event.value) return [state, []];
  if (isOfItem(event)) return renderInTurn(state, event);
  return isUnknownToHelper(state, event) ? [state, []] : emit(state, [event.value]);
}

const isOfItem = (event: PassthroughEvent): event is ItemPassthroughEvent => event.itemKey !== undefined;

const isUnknownToHelper = ({ context }: RenderState, { value }: PassthroughEvent) =>
  context.strictEvents && !open.helperKnows.test(value.type);

function renderItemPassthrough(
  state: RenderState,
  { current, event }: OfOpenItem<ItemPassthroughEvent>,
): Step {
  if (pictures.isImageProgressEvent(current, event.value.type)) {
    const [pictured, emissions] = pictures.renderImageProgress(current, event.value);
    return emit({ ...state, current: pictured }, emissions);
  }
  if (isUnknownToHelper(state, event)) return [state, []];
  return emit(state, [{ ...event.value, item_id: current.id, output_index: current.index }]);
}

function finish(state: RenderState, event: FinishEvent): Step {
  const status = event.reason === "stop" ? "completed" : "incomplete";
  const [drained, events] = closeAll(state, {
    render: renderItemEvent,
    close: (cut) =>
      cut.current === undefined
        ? [cut, nothing]
        : closeCurrent(cut, { current: cut.current, before: [], status }),
  });
  const [ended, last] = end(drained, {
    status,
    output: outputOf(drained),
    usage: event.usage,
    reason: event.reason,
    serviceTier: event.serviceTier,
    extra: event.extra?.responses,
  });
  return [ended, [...events, ...last]];
}

/** Renders a failure: the output so far stays in the failed response, and no open item is said to be done. */
function failure(state: RenderState, event: FailureEvent): Step {
  const output = state.current === undefined
    ? outputOf(state)
    : [...outputOf(state), open.unfinishedItem(state.current)];
  const { message } = event.failure;
  const code = failureCode(event.failure);
  const error = { type: "error", code, message, param: null, ...metadataOf(event.failure) };
  const { started, context } = state;
  const begun = started ? state : { ...state, started: true, sequence: 1 };
  const created = started
    ? nothing
    : [{ type: "response.created", response: renderProgress(context), sequence_number: 0 }];
  const [failed, events] = emit(begun, [{ ...error, error }]);
  const [ended, last] = end(failed, {
    status: "failed",
    output,
    usage: event.usage,
    failure: event.failure,
  });
  return [ended, [...created, ...events, ...last]];
}

function end(state: RenderState, outcome: ResultOutcome): Step {
  const response = renderResult(state.context, outcome, state.context.completionInfo());
  const [ended, events] = emit(state, [{ type: `response.${outcome.status}`, response }]);
  return [{ ...ended, ended: true }, events];
}
