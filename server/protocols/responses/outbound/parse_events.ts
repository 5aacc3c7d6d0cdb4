/**
 * The provider's Responses stream → model events. What the canonical model has words for is reported in them, all
 * else goes on as it came: unknown events, items and fields survive to the client.
 */

import type * as z from "zod";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { laterUsage, type Usage } from "../../canonical/usage.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import type { OutputItem, WireExtra } from "../../canonical/item.ts";
import type { StateMachine, StepHandler } from "../../stream/state_machine.ts";
import type { SseFrame } from "../../wire.ts";
import { brokenResponse, findError, toFailureEvent } from "./parse_failure.ts";
import * as frame from "./parse_frame.ts";
import * as items from "./parse_items.ts";
import { parseEnd, parseResult } from "./parse_result.ts";
import { parseUsage } from "./parse_usage.ts";

export interface ResponsesState {
  readonly begun: boolean;
  /** The last word was said; whatever still comes is not read (faults U15). */
  readonly over: boolean;
  readonly items: items.TrackedItems;
  /** Counts told before the end, for answers that break off. */
  readonly usage?: Usage;
}

type Step = readonly [ResponsesState, readonly ModelEvent[]];
type OnEvent = StepHandler<ResponsesState, frame.ProviderEvent, ModelEvent>;

export const parseEvents: StateMachine<ResponsesState, SseFrame, ModelEvent> = {
  initial: { begun: false, over: false, items: [] },
  step,
  finish: (state) =>
    state.over ? [] : broke(state, "The provider's stream ended before the answer was complete.")[1],
};

function step(state: ResponsesState, sse: SseFrame): Step {
  if (state.over) return [state, []];
  const read = frame.parseFrame(sse);
  if (read.kind === "nothing") return [state, []];
  if (read.kind === "malformed") return broke(state, `The provider sent a malformed event: ${read.why}.`);
  return begun((handlers.get(read.event.type) ?? passthroughEvent)(state, read.event));
}

/**
 * The canonical model hears that an answer begins before it hears of the answer, also from servers that never say
 * so.
 */
function begun([state, events]: Step): Step {
  const first = events[0];
  if (state.begun || first === undefined || first.type === "failure") return [state, events];
  return [{ ...state, begun: true }, first.type === "begin" ? events : [{ type: "begin" }, ...events]];
}

function broke(state: ResponsesState, message: string): Step {
  return [{ ...state, over: true }, [{ ...brokenResponse(message), usage: state.usage }]];
}

function changed(state: ResponsesState, [known, events]: items.ItemsStep): Step {
  return [known === state.items ? state : { ...state, items: known }, events];
}

/** `response.created` and its like carry the whole result object so far. */
function begin(state: ResponsesState, event: frame.ProviderEvent): Step {
  const result = parseResult(event.response);
  const usage = laterUsage(state.usage, parseUsage(result?.unknownFields.usage));
  if (state.begun) return [{ ...state, usage }, []];
  return [{ ...state, usage }, [{ type: "begin", upstreamId: result?.id, model: result?.model }]];
}

/** Runs a handler on the fields it reads; an event without them cannot be understood, so the answer is broken. */
function reading<Schema extends z.ZodType>(
  schema: Schema,
  handle: (state: ResponsesState, input: { fields: z.output<Schema>; event: frame.ProviderEvent }) => Step,
): OnEvent {
  return (state, event) => {
    const read = schema.safeParse(event);
    if (!read.success) return broke(state, `The provider sent a malformed ${event.type} event.`);
    return handle(state, { fields: read.data, event });
  };
}

const itemAdded = reading(
  frame.itemEventSchema,
  (state, { fields }) => changed(state, items.openItem(state.items, { place: fields, value: fields.item })),
);

const itemDone = reading(
  frame.itemEventSchema,
  (state, { fields }) => changed(state, items.closeItem(state.items, { place: fields, value: fields.item })),
);

type TextKind = "text" | "refusal" | "thought" | "summary";

const homes = { text: "message", refusal: "message", thought: "reasoning", summary: "reasoning" } as const;

function textDelta(type: TextKind): OnEvent {
  return reading(frame.deltaSchema, (state, { fields, event }) => {
    const part = type === "summary" ? fields.summary_index : fields.content_index;
    const logprobs = type === "text" ? frame.parseLogprobs(fields.logprobs) : undefined;
    return grow(state, {
      event,
      type,
      part,
      delta: fields.delta,
      logprobs,
      extra: frame.unknownDeltaFields(event),
    });
  });
}

interface Growth {
  readonly event: frame.ProviderEvent;
  readonly type: TextKind;
  readonly part: number;
  readonly delta: string;
  readonly logprobs?: ReturnType<typeof frame.parseLogprobs>;
  readonly extra?: WireExtra;
}

interface Stray {
  readonly item: items.TrackedItem | undefined;
  readonly event: frame.ProviderEvent;
}

/**
 * Events that do not fit their item. Of a tool's item they are progress told as text, not ours to understand;
 * of any other they are the provider's mistake, and its last word on the item holds what they would have said.
 */
function strayDelta(state: ResponsesState, { item, event }: Stray): Step {
  return item?.opened.type === "foreign" ? passthroughUnknown(state, { item, event }) : [state, []];
}

function grow(state: ResponsesState, { event, ...chunk }: Growth): Step {
  const place = frame.placeSchema.parse(event);
  const item = items.findItem(state.items, place);
  if (item === undefined) return appendUnopened(state, { place, event, ...chunk });
  if (item.opened.type !== homes[chunk.type]) return strayDelta(state, { item, event });
  if (item.done || (chunk.delta === "" && !chunk.extra)) return [state, []];
  const { type, part, delta, ...rest } = chunk;
  return [state, [{ type, itemKey: item.itemKey, part, delta, ...rest }]];
}

/** A server that never said that the item opened. */
function appendUnopened(
  state: ResponsesState,
  { place, ...growth }: Growth & { readonly place: frame.EventPlace },
): Step {
  const item = openImplicitItem(homes[growth.type], place.item_id);
  const [opened, opening] = changed(state, items.openImplicitItem(state.items, { place, item }));
  const [grown, growing] = grow(opened, growth);
  return [grown, [...opening, ...growing]];
}

function openImplicitItem(type: "message" | "reasoning", id: string | undefined): OutputItem {
  return type === "message"
    ? { type, id, role: "assistant", parts: [], status: "in_progress" }
    : { type, id, summary: [], content: [], status: "in_progress" };
}

/** A call that never opened has no name yet: its arguments come with the whole item. */
const argumentsDelta = reading(frame.deltaSchema, (state, { fields, event }) => {
  const item = items.findItem(state.items, fields);
  if (item?.opened.type !== "call") return strayDelta(state, { item, event });
  if (item.done || fields.delta === "") return [state, []];
  return [state, [{
    type: "arguments",
    itemKey: item.itemKey,
    delta: fields.delta,
    extra: frame.unknownDeltaFields(event),
  }]];
});

const annotationAdded = reading(frame.annotationAddedSchema, (state, { fields, event }) => {
  const item = items.findItem(state.items, fields);
  if (item?.opened.type !== "message") return strayDelta(state, { item, event });
  if (item.done) return [state, []];
  return [state, [{
    type: "annotation",
    itemKey: item.itemKey,
    part: fields.content_index,
    annotation: fields.annotation,
  }]];
});

/** Handles an event that repeats what was streamed: `item_done` and the terminal event carry it too. */
const repeated: OnEvent = (state, event) =>
  strayDelta(state, { item: items.findItem(state.items, frame.placeSchema.parse(event)), event });

const partKinds: Readonly<Partial<Record<string, TextKind>>> = {
  output_text: "text",
  refusal: "refusal",
  reasoning_text: "thought",
  summary_text: "summary",
};

/**
 * Parts open by themselves in the canonical model, with their first text; those that open with text already bring
 * it.
 */
const partAdded = reading(frame.partAddedSchema, (state, { fields, event }) => {
  const type = ownValue(partKinds, fields.part.type);
  if (type === undefined) return repeated(state, event);
  const part = type === "summary" ? fields.summary_index : fields.content_index;
  return grow(state, { event, type, part, delta: fields.part.text ?? fields.part.refusal ?? "" });
});

const nothing: OnEvent = (state) => [state, []];

/** Families of events that tell of a hosted tool at work: clients look for the item that they belong to. */
const progress =
  /^response\.(\w+?_call|mcp_list_tools)(?:_code|_arguments|_input|_operation_diff|_output_content|_command)?\./;

/**
 * An event that nobody here knows goes on as it came; without the name of its item where nobody knows that
 * either, for our indexes are not the provider's. A tool's progress without its item would make clients fail.
 */
function passthroughEvent(state: ResponsesState, event: frame.ProviderEvent): Step {
  const kind = progress.exec(event.type)?.[1];
  const item = items.findEventItem(state.items, { place: frame.placeSchema.parse(event), kind });
  return item === undefined && kind !== undefined ? [state, []] : passthroughUnknown(state, { item, event });
}

function passthroughUnknown(state: ResponsesState, { item, event }: Stray): Step {
  const { output_index: _index, item_id: _id, ...nameless } = event;
  const value = item === undefined ? { ...nameless, type: event.type } : event;
  return [state, [{ type: "foreign", wire: "responses", itemKey: item?.itemKey, value }]];
}

/** The last event: items get their last word, then the answer is over. */
function terminal(status: string): OnEvent {
  return (state, event) => {
    const result = parseResult(event.response);
    if (result === undefined) return broke(state, `The provider sent a malformed ${event.type} event.`);
    const end = parseEnd(result, status === "completed" ? result.status ?? status : status);
    const usage = laterUsage(state.usage, end.usage);
    if (end.type === "failure") return [{ ...state, over: true, usage }, [{ ...end, usage }]];
    const [settled, closing] = changed(
      state,
      items.finishItems(state.items, { output: result.output, cutShort: end.reason !== "stop" }),
    );
    return [{ ...settled, over: true }, [...closing, usage === end.usage ? end : { ...end, usage }]];
  };
}

const failed: OnEvent = (
  state,
  event,
) => [{ ...state, over: true }, [toFailureEvent(findError(event), state.usage)]];

const handlers: ReadonlyMap<string, OnEvent> = new Map(Object.entries({
  "response.created": begin,
  "response.queued": begin,
  "response.in_progress": begin,
  "response.output_item.added": itemAdded,
  "response.output_item.done": itemDone,
  "response.content_part.added": partAdded,
  "response.content_part.done": repeated,
  "response.output_text.delta": textDelta("text"),
  "response.output_text.done": repeated,
  "response.output_text.annotation.added": annotationAdded,
  "response.refusal.delta": textDelta("refusal"),
  "response.refusal.done": repeated,
  "response.reasoning_text.delta": textDelta("thought"),
  "response.reasoning_text.done": repeated,
  "response.reasoning_summary_part.added": partAdded,
  "response.reasoning_summary_part.done": repeated,
  "response.reasoning_summary_text.delta": textDelta("summary"),
  "response.reasoning_summary_text.done": repeated,
  "response.function_call_arguments.delta": argumentsDelta,
  "response.function_call_arguments.done": repeated,
  "response.custom_tool_call_input.delta": argumentsDelta,
  "response.custom_tool_call_input.done": repeated,
  "response.completed": terminal("completed"),
  "response.incomplete": terminal("incomplete"),
  "response.failed": terminal("failed"),
  "response.cancelled": terminal("cancelled"),
  "error": failed,
  "keepalive": nothing,
  "ping": nothing,
}));
