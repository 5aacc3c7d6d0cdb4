/** The event stream of the Messages API → model events. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Failure, FinishReason, ModelEvent } from "../../../canonical/event.ts";
import type { Json } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { byType, type Machine } from "../../../stream/state_machine.ts";
import type { SseFrame } from "../../../stream/sse.ts";
import { closeAll, closeSealed } from "./closing.ts";
import { endBlock, growBlock, openMessage, startBlock } from "./parse_blocks.ts";
import { failureOf } from "./parse_error.ts";
import { namesOf } from "./render_tools.ts";
import { events as schemas, type MessagesEvent } from "./response_schema.ts";
import { inTurn, type MessagesState, startState, type Step } from "./parse_state.ts";
import { counted, serviceTierOf, usageOf } from "./parse_usage.ts";

/**
 * A fold over the provider's frames. `message_stop` ends the answer, and so does the end of the bytes once a stop
 * reason was there; any other end is a failure (faults U9).
 */
export function parseEvents(request: ModelRequest): Machine<MessagesState, SseFrame, ModelEvent> {
  return { initial: initialState(request), step, finish: (state) => conclude(state)[1] };
}

export function initialState({ tools, toolChoice, parallelToolCalls }: ModelRequest): MessagesState {
  const maxCalls = toolChoice?.type === "none" ? 0 : parallelToolCalls === false ? 1 : Infinity;
  return startState({ names: namesOf(tools), maxCalls });
}

function step(state: MessagesState, { data, event }: SseFrame): Step {
  if (state.over || data === "") return [state, []];
  if (event === "error") return fail(state, failureOf(data));
  // No part of this wire, but compatible servers take it over from the other one.
  if (data.trim() === "[DONE]") return conclude(withoutReason(state));
  const parsed = parseEvent(data);
  if (parsed === undefined) return fail(state, malformed);
  return parsed === "unknown" ? [state, []] : stepEvent(state, parsed);
}

/** Undefined for what is no event; `ping` and whatever the provider comes up with later are not for us. */
function parseEvent(data: string): MessagesEvent | "unknown" | undefined {
  const value = parsedJson(data);
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  const { type } = value;
  return isKnown(type) ? schemas[type].safeParse(value).data : "unknown";
}

const isKnown = (type: unknown): type is keyof typeof schemas =>
  typeof type === "string" && Object.hasOwn(schemas, type);

function parsedJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const malformed: Failure = { kind: "upstream_failed", message: "The provider sent a malformed event." };

const handle = byType<MessagesState, MessagesEvent, ModelEvent>({
  message_start: (state, { message: { id, model, usage } }) =>
    begin({ ...state, counts: counted(state.counts, { said: usage, final: false }) }, {
      upstreamId: id ?? undefined,
      model: model ?? undefined,
    }),
  content_block_start: (state, { content_block }) => startBlock(state, content_block),
  content_block_delta: (state, { delta }) => growBlock(state, delta),
  content_block_stop: endBlock,
  message_delta: (state, { delta, usage }) =>
    stop({ ...state, counts: counted(state.counts, { said: usage, final: true }) }, delta ?? {}),
  message_stop: (state) => conclude(withoutReason(state)),
  error: (state, { error }) => fail(state, failureOf(error)),
});

/** One event. Some servers leave out the greeting. */
export function stepEvent(state: MessagesState, event: MessagesEvent): Step {
  if (state.begun || event.type === "message_start" || event.type === "error") return handle(state, event);
  return inTurn(state, [(now) => begin(now, {}), (now) => handle(now, event)]);
}

function begin(state: MessagesState, who: { readonly upstreamId?: string; readonly model?: string }): Step {
  if (state.begun) return [state, []];
  const usage = usageOf(state.counts);
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
function stop(state: MessagesState, { stop_reason, stop_sequence, stop_details }: StopDelta): Step {
  if (!stop_reason) return [state, []];
  const extra: Json = {
    stop_reason,
    ...(stop_sequence ? { stop_sequence } : {}),
    ...(stop_details ? { stop_details } : {}),
  };
  const stopped = { ...state, stopped: { reason: ownValue(reasons, stop_reason) ?? "stop", extra } };
  const words = stop_reason === "refusal" ? stop_details?.explanation ?? "" : "";
  return words === "" ? [stopped, []] : refuse(stopped, words);
}

function refuse(state: MessagesState, delta: string): Step {
  const { open } = state;
  if (open?.type !== "message") return inTurn(state, [leaveOpen, openMessage, (now) => refuse(now, delta)]);
  const part = open.length === 0 ? 0 : 1;
  return [state, [{ type: "refusal", at: open.at, part, delta }]];
}

/** What was cut short stays as it is beside what comes. */
function leaveOpen(state: MessagesState): Step {
  const [closed, events] = closeSealed(state);
  return [{ ...closed, open: undefined }, events];
}

/** Some servers never say why; their last event says as much, unless it is all that they said. */
const withoutReason = (state: MessagesState): MessagesState =>
  state.stopped !== undefined || state.items === 0
    ? state
    : { ...state, stopped: { reason: "stop", extra: {} } };

/** The end. What was cut short stays open, so that nobody is told that it is complete. */
export function conclude(state: MessagesState): Step {
  if (state.over) return [state, []];
  const { stopped } = state;
  if (stopped === undefined) return fail(state, state.begun ? cut : empty);
  const [closed, events] = inTurn(state, [endBlock, stopped.reason === "stop" ? closeAll : closeSealed]);
  const finish: ModelEvent = {
    type: "finish",
    reason: stopped.reason,
    usage: usageOf(state.counts),
    serviceTier: serviceTierOf(state.counts),
    extra: { messages: stopped.extra },
  };
  return [{ ...closed, over: true }, [...events, finish]];
}

const cut: Failure = {
  kind: "upstream_failed",
  message: "The provider's stream ended before it was complete.",
  code: "stream_cut",
};
const empty: Failure = {
  kind: "upstream_failed",
  message: "The provider sent an empty answer.",
  code: "empty_answer",
};

/** Nothing that comes after counts (faults U15). */
export function fail(state: MessagesState, failure: Failure): Step {
  return [{ ...state, over: true }, [{ type: "failure", failure, usage: usageOf(state.counts) }]];
}
