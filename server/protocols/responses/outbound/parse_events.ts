/**
 * The provider's Responses stream → model events. What the hub has words for is told in them, all else goes
 * on as it came: unknown events, items and fields survive to the client.
 */

import type * as z from "zod";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Usage } from "../../../canonical/usage.ts";
import type { ModelEvent } from "../../../canonical/event.ts";
import type { Extra, OutputItem } from "../../../canonical/item.ts";
import type { Handler, Machine } from "../../../stream/state_machine.ts";
import type { SseFrame } from "../../wire.ts";
import { broken, failureOf, findError } from "./parse_failure.ts";
import * as frame from "./parse_frame.ts";
import * as items from "./parse_items.ts";
import { endOf, readResult } from "./parse_result.ts";
import { readUsage } from "./parse_usage.ts";

export interface ResponsesState {
  readonly begun: boolean;
  /** The last word was said; whatever still comes is not read (faults U15). */
  readonly over: boolean;
  readonly items: items.Items;
  /** Counts told before the end, for answers that break off. */
  readonly usage?: Usage;
}

type Step = readonly [ResponsesState, readonly ModelEvent[]];
type OnEvent = Handler<ResponsesState, frame.WireEvent, ModelEvent>;

export const parseEvents: Machine<ResponsesState, SseFrame, ModelEvent> = {
  initial: { begun: false, over: false, items: [] },
  step,
  finish: (state) =>
    state.over ? [] : broke(state, "The provider's stream ended before the answer was complete.")[1],
};

function step(state: ResponsesState, sse: SseFrame): Step {
  if (state.over) return [state, []];
  const read = frame.readFrame(sse);
  if (read.kind === "nothing") return [state, []];
  if (read.kind === "malformed") return broke(state, `The provider sent a malformed event: ${read.why}.`);
  return begun((handlers.get(read.event.type) ?? foreign)(state, read.event));
}

/** The hub hears that an answer begins before it hears of the answer, also from servers that never say so. */
function begun([state, events]: Step): Step {
  const first = events[0];
  if (state.begun || first === undefined || first.type === "failure") return [state, events];
  return [{ ...state, begun: true }, first.type === "begin" ? events : [{ type: "begin" }, ...events]];
}

function broke(state: ResponsesState, message: string): Step {
  return [{ ...state, over: true }, [{ ...broken(message), usage: state.usage }]];
}

function changed(state: ResponsesState, [known, events]: items.Change): Step {
  return [known === state.items ? state : { ...state, items: known }, events];
}

/** `response.created` and its like carry the whole result object so far. */
function begin(state: ResponsesState, event: frame.WireEvent): Step {
  const result = readResult(event.response);
  const usage = readUsage(result?.told.usage) ?? state.usage;
  if (state.begun) return [{ ...state, usage }, []];
  return [{ ...state, usage }, [{ type: "begin", upstreamId: result?.id, model: result?.model }]];
}

/** Runs a handler on the fields it reads; an event without them cannot be understood, so the answer is broken. */
function reading<Schema extends z.ZodType>(
  schema: Schema,
  handle: (state: ResponsesState, told: { fields: z.output<Schema>; event: frame.WireEvent }) => Step,
): OnEvent {
  return (state, event) => {
    const read = schema.safeParse(event);
    if (!read.success) return broke(state, `The provider sent a malformed ${event.type} event.`);
    return handle(state, { fields: read.data, event });
  };
}

const itemAdded = reading(
  frame.itemEvent,
  (state, { fields }) => changed(state, items.openItem(state.items, { place: fields, value: fields.item })),
);

const itemDone = reading(
  frame.itemEvent,
  (state, { fields }) => changed(state, items.closeItem(state.items, { place: fields, value: fields.item })),
);

type TextKind = "text" | "refusal" | "thought" | "summary";

const homes = { text: "message", refusal: "message", thought: "reasoning", summary: "reasoning" } as const;

function textDelta(type: TextKind): OnEvent {
  return reading(frame.delta, (state, { fields, event }) => {
    const part = type === "summary" ? fields.summary_index : fields.content_index;
    const logprobs = type === "text" ? frame.readLogprobs(fields.logprobs) : undefined;
    return grow(state, { event, type, part, delta: fields.delta, logprobs, extra: frame.deltaExtra(event) });
  });
}

interface Growth {
  readonly event: frame.WireEvent;
  readonly type: TextKind;
  readonly part: number;
  readonly delta: string;
  readonly logprobs?: ReturnType<typeof frame.readLogprobs>;
  readonly extra?: Extra;
}

interface Stray {
  readonly item: items.Known | undefined;
  readonly event: frame.WireEvent;
}

/**
 * Events that do not fit their item. Of a tool's item they are progress told as text, not ours to understand;
 * of any other they are the provider's mistake, and its last word on the item holds what they would have said.
 */
function stray(state: ResponsesState, { item, event }: Stray): Step {
  return item?.opened.type === "foreign" ? survive(state, { item, event }) : [state, []];
}

function grow(state: ResponsesState, { event, ...piece }: Growth): Step {
  const place = frame.place.parse(event);
  const item = items.locate(state.items, place);
  if (item === undefined) return growUntold(state, { place, event, ...piece });
  if (item.opened.type !== homes[piece.type]) return stray(state, { item, event });
  if (item.done || (piece.delta === "" && !piece.extra)) return [state, []];
  const { type, part, delta, ...rest } = piece;
  return [state, [{ type, at: item.at, part, delta, ...rest }]];
}

/** A server that never said that the item opened. */
function growUntold(
  state: ResponsesState,
  { place, ...growth }: Growth & { readonly place: frame.Place },
): Step {
  const item = bare(homes[growth.type], place.item_id);
  const [opened, opening] = changed(state, items.openBare(state.items, { place, item }));
  const [grown, growing] = grow(opened, growth);
  return [grown, [...opening, ...growing]];
}

function bare(type: "message" | "reasoning", id: string | undefined): OutputItem {
  return type === "message"
    ? { type, id, role: "assistant", parts: [], status: "in_progress" }
    : { type, id, summary: [], thoughts: [], status: "in_progress" };
}

/** A call that never opened has no name yet: its arguments come with the whole item. */
const argumentsDelta = reading(frame.delta, (state, { fields, event }) => {
  const item = items.locate(state.items, fields);
  if (item?.opened.type !== "call") return stray(state, { item, event });
  if (item.done || fields.delta === "") return [state, []];
  return [state, [{ type: "arguments", at: item.at, delta: fields.delta, extra: frame.deltaExtra(event) }]];
});

const annotationAdded = reading(frame.annotationAdded, (state, { fields, event }) => {
  const item = items.locate(state.items, fields);
  if (item?.opened.type !== "message") return stray(state, { item, event });
  if (item.done) return [state, []];
  return [state, [{
    type: "annotation",
    at: item.at,
    part: fields.content_index,
    annotation: fields.annotation,
  }]];
});

/** What was streamed is told once more: `item_done` and the terminal event carry it too. */
const repeated: OnEvent = (state, event) =>
  stray(state, { item: items.locate(state.items, frame.place.parse(event)), event });

const partKinds: Readonly<Partial<Record<string, TextKind>>> = {
  output_text: "text",
  refusal: "refusal",
  reasoning_text: "thought",
  summary_text: "summary",
};

/** Parts open by themselves in the hub, with their first text; those that open with text already bring it. */
const partAdded = reading(frame.partAdded, (state, { fields, event }) => {
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
function foreign(state: ResponsesState, event: frame.WireEvent): Step {
  const kind = progress.exec(event.type)?.[1];
  const item = items.subject(state.items, { place: frame.place.parse(event), kind });
  return item === undefined && kind !== undefined ? [state, []] : survive(state, { item, event });
}

function survive(state: ResponsesState, { item, event }: Stray): Step {
  const { output_index: _index, item_id: _id, ...nameless } = event;
  const value = item === undefined ? { ...nameless, type: event.type } : event;
  return [state, [{ type: "foreign", wire: "responses", at: item?.at, value }]];
}

/** The last event: items get their last word, then the answer is over. */
function terminal(status: string): OnEvent {
  return (state, event) => {
    const result = readResult(event.response);
    if (result === undefined) return broke(state, `The provider sent a malformed ${event.type} event.`);
    const end = endOf(result, status === "completed" ? result.status ?? status : status);
    if (end.type === "failure") {
      return [{ ...state, over: true }, [{ ...end, usage: end.usage ?? state.usage }]];
    }
    const [settled, closing] = changed(
      state,
      items.settleAll(state.items, { output: result.output, cutShort: end.reason !== "stop" }),
    );
    return [{ ...settled, over: true }, [...closing, end]];
  };
}

const failed: OnEvent = (
  state,
  event,
) => [{ ...state, over: true }, [failureOf(findError(event), state.usage)]];

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
