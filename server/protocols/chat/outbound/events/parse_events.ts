/** The event stream of Chat Completions → model events. */

import { tryParseJson } from "../../../../../shared/util/json.ts";
import { laterUsage, withServiceTier } from "../../../canonical/usage.ts";
import type { Failure, FinishReason, ModelEvent } from "../../../canonical/event.ts";
import { emptyAnswer, malformedEvent, streamCut } from "../../../common/outbound/failures.ts";
import { maxCallsOf } from "../../../common/outbound/tool_offer.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { runSteps, type StateMachine } from "../../../stream/state_machine.ts";
import type { SseFrame } from "../../../stream/sse.ts";
import { closeAllItems } from "./parse_item_end.ts";
import { parseFailure } from "../parse_error.ts";
import { stepCalls } from "./parse_calls.ts";
import { addOwnFields } from "./parse_own_fields.ts";
import { stepMessage } from "./parse_message.ts";
import { stepReasoning, tellLateSeals } from "./parse_reasoning.ts";
import {
  type ChatChoice,
  type ChatCompletionChunk,
  type ChatDelta,
  chunkSchema as chunkSchema,
  searchResultCitation,
} from "../response_schema.ts";
import { type ChatState, createState, type ParseStep } from "./parse_state.ts";
import { initialThinkTags, pendingText, splitThinkTags } from "./parse_think_tags.ts";
import { flattenTools, nameRuleOf } from "../../../common/outbound/tool_names.ts";
import type { ReadOptions } from "../../../wire.ts";
import { usageOfChunk } from "../parse_usage.ts";

/**
 * A fold over the provider's frames. `[DONE]` ends the answer, and so does the end of the bytes once a finish
 * reason was there; any other end is a failure (faults U9).
 */
export function parseEvents(
  request: ModelRequest,
  options?: ReadOptions,
): StateMachine<ChatState, SseFrame, ModelEvent> {
  return { initial: initialState(request, options), step, finish: (state) => finishStream(state)[1] };
}

export function initialState(request: ModelRequest, { traits = [] }: ReadOptions = {}): ChatState {
  return createState(
    { names: flattenTools(request.tools, nameRuleOf(traits)), maxCalls: maxCallsOf(request) },
    traits.includes("think_tags") ? initialThinkTags : undefined,
  );
}

function step(state: ChatState, { data, event }: SseFrame): ParseStep {
  if (state.isFinished || data === "") return [state, []];
  if (event === "error") return failStream(withErrorUsage(state, data), parseFailure(data));
  if (data.trim() === "[DONE]") {
    return finishStream(state.finish === undefined ? doneWithoutReason(state) : state);
  }
  const value = tryParseJson(data);
  const chunk = chunkSchema.safeParse(value).data;
  return chunk === undefined
    ? failStream(state, malformedEvent)
    : stepChunk(withOwnFields(state, value), chunk);
}

/** Some servers never give a reason; their `[DONE]` says as much, unless it is all that they said. */
const doneWithoutReason = (state: ChatState): ChatState =>
  state.items === 0 ? state : { ...state, finish: "stop" };

/** Undefined for what is not a chunk. */
function parseChunk(data: string): ChatCompletionChunk | undefined {
  return chunkSchema.safeParse(tryParseJson(data)).data;
}

/** Adds the fields of a chunk or a whole answer that only clients of this same wire have a use for. */
export function withOwnFields(state: ChatState, value: unknown): ChatState {
  const own = addOwnFields(state.own, value);
  return own === state.own ? state : { ...state, own };
}

/** One chunk. Only the first choice counts: more were never asked for. */
export function stepChunk(state: ChatState, chunk: ChatCompletionChunk): ParseStep {
  if (chunk.error) return failStream(withUsage(state, chunk), parseFailure(chunk.error));
  if (chunk.object === "error") return failStream(withUsage(state, chunk), parseFailure(chunk));
  const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
  const known = withUsage(state, chunk);
  if (choice === undefined) return begin(known, chunk);
  return known.hasStarted
    ? stepChoice(known, choice)
    : runSteps(known, [(now) => begin(now, chunk), (now) => stepChoice(now, choice)]);
}

/** An error may count what was made before it. */
function withErrorUsage(state: ChatState, data: string): ChatState {
  const chunk = parseChunk(data);
  return chunk === undefined ? state : withUsage(state, chunk);
}

/** Counts are cumulative. */
function withUsage(state: ChatState, chunk: ChatCompletionChunk): ChatState {
  const usage = usageOfChunk(chunk);
  const serviceTier = chunk.service_tier ?? undefined;
  const sources = chunk.search_results?.flatMap(searchResultCitation) ?? [];
  if (usage === undefined && serviceTier === undefined && sources.length === 0) return state;
  return {
    ...state,
    usage: laterUsage(state.usage, usage),
    serviceTier: serviceTier ?? state.serviceTier,
    sources: sources.length > 0 ? sources : state.sources,
  };
}

function begin(state: ChatState, { id, model }: ChatCompletionChunk): ParseStep {
  if (state.hasStarted) return [state, []];
  return [{ ...state, hasStarted: true }, [{
    type: "begin",
    upstreamId: id ?? undefined,
    model: model ?? undefined,
  }]];
}

function stepChoice(state: ChatState, choice: ChatChoice): ParseStep {
  const { delta, finish_reason: reason } = choice;
  const [next, events] = delta ? stepDelta(state, { ...choice, delta }) : [state, []];
  if (reason === "error") {
    const [failed, last] = failStream(next, brokeOff);
    return [failed, [...events, ...last]];
  }
  return [reason ? { ...next, finish: finishReasons.get(reason.toLowerCase()) ?? "stop" } : next, events];
}

function stepDelta(state: ChatState, choice: ChatChoice & { readonly delta: ChatDelta }): ParseStep {
  const [untaggedState, delta] = splitThinkTags(state, choice.delta);
  return runSteps(untaggedState, [
    (now) => stepReasoning(now, delta),
    (now) => stepMessage(now, { ...choice, delta }),
    (now) => stepCalls(now, delta),
  ]);
}

/** Emits what was kept until the answer's end: half a tag, and the pages that it is from. */
function stepEnd(state: ChatState): ParseStep {
  if (state.tags === undefined && state.sources.length === 0) return tellLateSeals(state);
  const delta = pendingText(state);
  return runSteps({ ...state, tags: undefined, sources: [] }, [
    (now) => stepReasoning(now, delta),
    (now) => stepMessage(now, { delta }),
    (now) =>
      now.open?.type === "message"
        ? stepMessage(now, { delta: { annotations: [...state.sources] } })
        : [now, []],
    tellLateSeals,
  ]);
}

const brokeOff: Failure = {
  kind: "upstream_failed",
  message: "The provider ended its answer with an error.",
  code: "error",
};

/** Reasons that say less than `stop`; `tool_calls`, `eos` and whatever else servers invent are a `stop` to us. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
]);

/** Ends the stream. What was cut short stays open, so that no client is told that it is complete. */
export function finishStream(state: ChatState): ParseStep {
  if (state.isFinished) return [state, []];
  const { finish } = state;
  if (finish === undefined) return failStream(state, state.hasStarted ? streamCut : emptyAnswer);
  if (state.calls.some(({ name, status }) => status === "naming" && name === "")) {
    return failStream(state, nameless);
  }
  const [ended, last] = stepEnd(state);
  const [closed, events] = finish === "stop" ? closeAllItems(ended) : [ended, []];
  const { usage, serviceTier, own } = state;
  return [{ ...closed, isFinished: true }, [...last, ...events, {
    type: "finish",
    reason: finish,
    usage: withServiceTier(usage, serviceTier),
    serviceTier,
    ...(own === undefined ? {} : { extra: { chat: { ...own } } }),
  }]];
}

const nameless: Failure = {
  kind: "upstream_failed",
  message: "The provider sent a tool call without a name.",
};

/** Nothing that comes after counts (faults U15). */
export function failStream(state: ChatState, failure: Failure): ParseStep {
  return [{ ...state, isFinished: true }, [{ type: "failure", failure, usage: state.usage }]];
}
