/** The event stream of the Messages API → model events. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord, tryParseJson } from "../../../../shared/util/json.ts";
import { writeCallArguments } from "../../canonical/call_arguments.ts";
import type { Failure, FinishReason, ModelEvent } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { runSteps, type StateMachine, stepByType } from "../../stream/state_machine.ts";
import type { SseFrame } from "../../stream/sse.ts";
import {
  closeAllItems,
  closeSignedReasoning,
  createState,
  type MessagesState,
  type ParseStep,
} from "./parse_state.ts";
import { appendBlockDelta, endBlock, openMessage, startBlock } from "./parse_blocks.ts";
import { messagesToolNames } from "./render_tools.ts";
import {
  type ContentBlock,
  eventSchemas as schemas,
  type MessagesEvent,
  type MessagesResponse,
  responseSchema as answerSchema,
} from "./response_schema.ts";
import { addCounts, parseServiceTierUsed, toUsage } from "./parse_usage.ts";
import { emptyAnswer, malformedEvent, streamCut, unreadableAnswer } from "../../common/outbound/failures.ts";
import { maxCallsOf } from "../../common/outbound/tool_offer.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { pickUnknown } from "../../common/inbound/unknown_fields.ts";
import { parseFailure } from "./parse_error.ts";

/**
 * A fold over the provider's frames. `message_stop` ends the answer, and so does the end of the bytes once a stop
 * reason was there; any other end is a failure (faults U9).
 */
export function parseEvents(request: ModelRequest): StateMachine<MessagesState, SseFrame, ModelEvent> {
  return { initial: initialState(request), step, finish: (state) => finishStream(state)[1] };
}

function initialState(request: ModelRequest): MessagesState {
  return createState({ names: messagesToolNames(request.tools), maxCalls: maxCallsOf(request) });
}

function step(state: MessagesState, { data, event }: SseFrame): ParseStep {
  if (state.over || data === "") return [state, []];
  if (event === "error") return failStream(state, parseFailure(data));
  // No part of this wire, but compatible servers take it over from the other one.
  if (data.trim() === "[DONE]") return finishStream(withoutReason(state));
  const { known, later } = parseEvent(data);
  if (later !== undefined) return passedOn(state, later);
  return known === undefined ? failStream(state, malformedEvent) : stepEvent(state, known);
}

type LaterEvent = { readonly type: string } & JsonObject;

interface ParsedEvent {
  readonly known?: MessagesEvent;
  /** An event of a type that is unknown here. */
  readonly later?: LaterEvent;
}

/** Neither for what is no event. */
function parseEvent(data: string): ParsedEvent {
  const value = tryParseJson(data);
  if (!isRecord(value) || typeof value.type !== "string") return {};
  const { type } = value;
  return isKnown(type) ? { known: schemas[type].safeParse(value).data } : { later: { ...value, type } };
}

const isKnown = (type: string): type is keyof typeof schemas => Object.hasOwn(schemas, type);

/** Passes an event that is new to us on to clients of this same wire; `ping` goes to no client. */
function passedOn(state: MessagesState, value: LaterEvent): ParseStep {
  return [state, value.type === "ping" ? [] : [{ type: "foreign", wire: "messages", value }]];
}

const handle = stepByType<MessagesState, MessagesEvent, ModelEvent>({
  message_start: (state, { message }) => {
    const { id, model, usage } = message;
    const counts = addCounts(state.counts, { said: usage, final: false });
    return begin({ ...withOwn(state, message), counts }, {
      upstreamId: id ?? undefined,
      model: model ?? undefined,
    });
  },
  content_block_start: (state, { content_block }) => startBlock(state, content_block),
  content_block_delta: (state, { delta }) => appendBlockDelta(state, delta),
  content_block_stop: endBlock,
  message_delta: (state, { delta, usage: said, ...event }) => {
    const counts = addCounts(state.counts, { said, final: true, made: state.items > 0 });
    return stop({ ...withOwn(withOwn(state, event), delta ?? {}), counts }, delta ?? {});
  },
  message_stop: (state) => finishStream(withoutReason(state)),
  error: (state, { error }) => failStream(state, parseFailure(error)),
});

const messageKeys = new Set([
  "type",
  "role",
  "id",
  "model",
  "content",
  "usage",
  "stop_reason",
  "stop_sequence",
  "stop_details",
]);

/** Fields of the message that only a client of this same wire has a use for (`container`, `context_management`). */
function withOwn(state: MessagesState, message: JsonObject): MessagesState {
  const own = pickUnknown(message, messageKeys);
  return own === undefined ? state : { ...state, own: { ...state.own, ...own } };
}

/** One event. Some servers leave out the greeting. */
function stepEvent(state: MessagesState, event: MessagesEvent): ParseStep {
  if (state.begun || event.type === "message_start" || event.type === "error") return handle(state, event);
  return runSteps(state, [(now) => begin(now, {}), (now) => handle(now, event)]);
}

function begin(
  state: MessagesState,
  who: { readonly upstreamId?: string; readonly model?: string },
): ParseStep {
  if (state.begun) return [state, []];
  const usage = toUsage(state.counts);
  return [{ ...state, begun: true }, [{ type: "begin", ...who, ...(usage === undefined ? {} : { usage }) }]];
}

/** `tool_use`, `end_turn`, `stop_sequence`, `pause_turn` and whatever servers invent are a `stop` to us. */
const reasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

type StopDelta = NonNullable<Extract<MessagesEvent, { type: "message_delta" }>["delta"]>;

/** Why the model stopped. A refusal may come with words for the user; what was said before it stands. */
function stop(state: MessagesState, { stop_reason, stop_sequence, stop_details }: StopDelta): ParseStep {
  if (!stop_reason) return [state, []];
  const extra: JsonObject = {
    stop_reason,
    ...(stop_sequence ? { stop_sequence } : {}),
    ...(stop_details ? { stop_details } : {}),
  };
  const stopped = { ...state, stopped: { reason: ownValue(reasons, stop_reason) ?? "stop", extra } };
  const words = stop_reason === "refusal" ? stop_details?.explanation ?? "" : "";
  return words === "" ? [stopped, []] : refusalStop(stopped, words);
}

function refusalStop(state: MessagesState, delta: string): ParseStep {
  const { open } = state;
  if (open?.type !== "message") {
    return runSteps(state, [leaveOpen, openMessage, (now) => refusalStop(now, delta)]);
  }
  const part = open.length === 0 ? 0 : 1;
  return [state, [{ type: "refusal", itemKey: open.at, part, delta }]];
}

/** Leaves the open item as it is, beside what comes. */
function leaveOpen(state: MessagesState): ParseStep {
  const [closed, events] = closeSignedReasoning(state);
  return [{ ...closed, open: undefined }, events];
}

/** Some servers never say why; their last event says as much, unless it is all that they said. */
const withoutReason = (state: MessagesState): MessagesState =>
  state.stopped !== undefined || state.items === 0
    ? state
    : { ...state, stopped: { reason: "stop", extra: {} } };

/** The end. What was cut short stays open, so that no client is told that it is complete. */
function finishStream(state: MessagesState): ParseStep {
  if (state.over) return [state, []];
  const { stopped } = state;
  if (stopped === undefined) return failStream(state, state.begun ? streamCut : emptyAnswer);
  const [closed, events] = runSteps(state, [
    endBlock,
    stopped.reason === "stop" ? closeAllItems : closeSignedReasoning,
  ]);
  const finish: ModelEvent = {
    type: "finish",
    reason: stopped.reason,
    usage: toUsage(state.counts),
    serviceTier: parseServiceTierUsed(state.counts),
    extra: { messages: state.own === undefined ? stopped.extra : { ...stopped.extra, own: state.own } },
  };
  return [{ ...closed, over: true }, [...events, finish]];
}

/** Nothing that comes after counts (faults U15). */
function failStream(state: MessagesState, failure: Failure): ParseStep {
  return [{ ...state, over: true }, [{ type: "failure", failure, usage: toUsage(state.counts) }]];
}

export function parseResponse(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const state = initialState(request);
  const { data } = answerSchema.safeParse(body);
  const failure = isError(body) ? parseFailure(body) : data === undefined ? unreadableAnswer : undefined;
  // What was made before an error may stand beside it.
  const steps = data === undefined || (failure !== undefined && data.content.length === 0)
    ? []
    : eventsOf(data).map((event) => (now: MessagesState) => stepEvent(now, event));
  return runSteps(state, [
    ...steps,
    failure === undefined ? finishStream : (now) => failStream(now, failure),
  ])[1];
}

const isError = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && Boolean(body.error);

/** Where the whole answer is there, a missing stop reason hides nothing. */
function eventsOf({ content, usage, id, model, ...stopped }: MessagesResponse): readonly MessagesEvent[] {
  const blocks = content.flatMap(blockEvents);
  return [
    { type: "message_start", message: { id, model } },
    ...blocks,
    { type: "message_delta", usage, delta: { ...stopped, stop_reason: stopped.stop_reason || "end_turn" } },
  ];
}

/**
 * Makes the events of a whole block: a call has its input as it is, be it empty; in a stream it would have come in
 * chunks.
 */
function blockEvents({ input, ...block }: ContentBlock): readonly MessagesEvent[] {
  const ends = { type: "content_block_stop" } as const;
  if (block.type !== "tool_use") {
    const content_block = input === undefined ? block : { ...block, input };
    return [{ type: "content_block_start", content_block }, ends];
  }
  const delta = { type: "input_json_delta", partial_json: writeCallArguments(input ?? {}) };
  return [
    { type: "content_block_start", content_block: block },
    { type: "content_block_delta", delta },
    ends,
  ];
}
