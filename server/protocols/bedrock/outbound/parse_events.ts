/** The event stream of ConverseStream → model events. A frame's `event` is the message's type or exception. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { Failure, FinishReason, ModelEvent } from "../../canonical/event.ts";
import { emptyAnswer, malformedEvent, streamCut } from "../../common/outbound/failures.ts";
import { maxCallsOf } from "../../common/outbound/tool_offer.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { runSteps, type StateMachine } from "../../stream/state_machine.ts";
import type { SseFrame } from "../../stream/sse.ts";
import { flattenTools } from "../../common/outbound/tool_names.ts";
import { appendDelta, closeOpenItem, startToolCall } from "./parse_blocks.ts";
import { isException, parseFailure } from "./parse_error.ts";
import { eventSchemas as schemas } from "./response_schema.ts";
import type { BedrockState, ParseStep } from "./parse_state.ts";
import { parseUsage } from "./parse_usage.ts";
import { laterUsage } from "../../canonical/usage.ts";

/**
 * A fold over the provider's messages. The counts come behind the end of the answer, so that the end of the bytes
 * is what ends it; without a stop reason before it, it is a failure (faults U9).
 */
export function parseEvents(request: ModelRequest): StateMachine<BedrockState, SseFrame, ModelEvent> {
  return { initial: initialState(request), step, finish: (state) => finishStream(state)[1] };
}

export function initialState(request: ModelRequest): BedrockState {
  return {
    names: flattenTools(request.tools),
    maxCalls: maxCallsOf(request),
    begun: false,
    over: false,
    items: 0,
    calls: 0,
    ignoring: false,
  };
}

function step(state: BedrockState, { event = "", data }: SseFrame): ParseStep {
  if (state.over) return [state, []];
  if (isException(event)) return failStream(state, parseFailure(event, data));
  if (!isKnown(event)) return [state, []];
  const body = tryParseJson(data);
  if (body === undefined) return failStream(state, malformedEvent);
  return runSteps(state, [begin, (now) => handlers[event](now, body)]);
}

type EventName = keyof typeof schemas;

const isKnown = (event: string): event is EventName => Object.hasOwn(schemas, event);

const handlers: { readonly [E in EventName]: (state: BedrockState, body: unknown) => ParseStep } = {
  messageStart: (state) => [state, []],
  contentBlockStart: (state, body) => {
    const { data } = schemas.contentBlockStart.safeParse(body);
    if (data === undefined) return failStream(state, malformedEvent);
    return data.start?.toolUse ? startToolCall(state, data.start.toolUse) : [state, []];
  },
  contentBlockDelta: (state, body) => {
    const { data } = schemas.contentBlockDelta.safeParse(body);
    return data === undefined ? failStream(state, malformedEvent) : appendDelta(state, data.delta);
  },
  contentBlockStop: (state) => [state, []],
  messageStop: (state, body) => {
    const { data } = schemas.messageStop.safeParse(body);
    return data === undefined
      ? failStream(state, malformedEvent)
      : [withStopReason(state, data.stopReason), []];
  },
  metadata: (state, body) => {
    const { data } = schemas.metadata.safeParse(body);
    const serviceTier = data?.serviceTier?.type;
    const usage = laterUsage(state.usage, parseUsage(data?.usage, serviceTier));
    const noted = { ...state, usage, serviceTier };
    // Nothing follows the counts.
    return state.finish === undefined ? [noted, []] : finishStream(noted);
  },
};

function begin(state: BedrockState): ParseStep {
  return state.begun ? [state, []] : [{ ...state, begun: true }, [{ type: "begin" }]];
}

/** `end_turn`, `tool_use`, `stop_sequence` and whatever comes to be are a `stop` to us. */
const reasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
  refusal: "content_filter",
};

export const withStopReason = (state: BedrockState, reason: string | null | undefined): BedrockState => ({
  ...state,
  finish: ownValue(reasons, reason ?? "") ?? "stop",
});

/** The end. What was cut short stays open, so that nobody is told that it is complete. */
export function finishStream(state: BedrockState): ParseStep {
  if (state.over) return [state, []];
  const { finish, usage, serviceTier } = state;
  if (finish === undefined) return failStream(state, state.begun ? streamCut : emptyAnswer);
  const sealed = state.open?.type === "reasoning" && state.open.signature + state.open.encrypted !== "";
  const [closed, events] = finish === "stop" || sealed ? closeOpenItem(state) : [state, []];
  return [{ ...closed, over: true }, [...events, { type: "finish", reason: finish, usage, serviceTier }]];
}

/** Nothing that comes after counts (faults U15). */
export function failStream(state: BedrockState, failure: Failure): ParseStep {
  return [{ ...state, over: true }, [{ type: "failure", failure, usage: state.usage }]];
}
