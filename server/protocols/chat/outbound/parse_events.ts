/** The event stream of Chat Completions → model events. */

import { inTier } from "../../../canonical/usage.ts";
import type { Failure, FinishReason, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import type { Machine } from "../../../stream/state_machine.ts";
import type { SseFrame } from "../../../stream/sse.ts";
import { closeAll } from "./parse_item_end.ts";
import { failureOf } from "./parse_error.ts";
import { stepCalls } from "./parse_calls.ts";
import { stepMessage } from "./parse_message.ts";
import { stepReasoning } from "./parse_reasoning.ts";
import { type Choice, type Chunk, chunk as chunkSchema, type Delta, sourceOf } from "./response_schema.ts";
import { type ChatState, inTurn, startState, type Step } from "./parse_state.ts";
import { heldBack, startTags, untagged } from "./parse_think_tags.ts";
import { toolNames } from "../../common/outbound/tool_names.ts";
import type { Dialect } from "../../wire.ts";
import { usageOf } from "./parse_usage.ts";

/**
 * A fold over the provider's frames. `[DONE]` ends the answer, and so does the end of the bytes once a finish
 * reason was there; any other end is a failure (faults U9).
 */
export function parseEvents(
  request: ModelRequest,
  dialect?: Dialect,
): Machine<ChatState, SseFrame, ModelEvent> {
  return { initial: initialState(request, dialect), step, finish: (state) => conclude(state)[1] };
}

export function initialState(
  { tools, toolChoice, parallelToolCalls }: ModelRequest,
  dialect: Dialect | undefined,
): ChatState {
  const maxCalls = toolChoice?.type === "none" ? 0 : parallelToolCalls === false ? 1 : Infinity;
  return startState({ names: toolNames(tools), maxCalls }, dialect?.thinkTags ? startTags : undefined);
}

function step(state: ChatState, { data, event }: SseFrame): Step {
  if (state.over || data === "") return [state, []];
  if (event === "error") return fail(state, failureOf(data));
  if (data.trim() === "[DONE]") {
    return conclude(state.finish === undefined ? doneWithoutReason(state) : state);
  }
  const chunk = parseChunk(data);
  return chunk === undefined ? fail(state, malformed) : stepChunk(state, chunk);
}

/** Some servers never give a reason; their `[DONE]` says as much, unless it is all that they said. */
const doneWithoutReason = (state: ChatState): ChatState =>
  state.items === 0 ? state : { ...state, finish: "stop" };

const malformed: Failure = { kind: "upstream_failed", message: "The provider sent a malformed event." };

/** Undefined for what is not a chunk. */
function parseChunk(data: string): Chunk | undefined {
  try {
    return chunkSchema.safeParse(JSON.parse(data)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One chunk. Only the first choice counts: more were never asked for. */
export function stepChunk(state: ChatState, chunk: Chunk): Step {
  if (chunk.error) return fail(noted(state, chunk), failureOf(chunk.error));
  if (chunk.object === "error") return fail(state, failureOf(chunk));
  const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
  const known = noted(state, chunk);
  if (choice === undefined) return begin(known, chunk);
  return known.begun
    ? stepChoice(known, choice)
    : inTurn(known, [(now) => begin(now, chunk), (now) => stepChoice(now, choice)]);
}

/** Counts are cumulative: the last ones hold. */
function noted(state: ChatState, chunk: Chunk): ChatState {
  const usage = usageOf(chunk);
  const serviceTier = chunk.service_tier ?? undefined;
  const sources = chunk.search_results?.flatMap(sourceOf) ?? [];
  if (usage === undefined && serviceTier === undefined && sources.length === 0) return state;
  return {
    ...state,
    usage: usage ?? state.usage,
    serviceTier: serviceTier ?? state.serviceTier,
    sources: sources.length > 0 ? sources : state.sources,
  };
}

function begin(state: ChatState, { id, model }: Chunk): Step {
  if (state.begun) return [state, []];
  return [{ ...state, begun: true }, [{
    type: "begin",
    upstreamId: id ?? undefined,
    model: model ?? undefined,
  }]];
}

function stepChoice(state: ChatState, choice: Choice): Step {
  const { delta, finish_reason: reason } = choice;
  if (reason === "error") return fail(state, brokeOff);
  const [next, events] = delta ? stepDelta(state, { ...choice, delta }) : [state, []];
  return [reason ? { ...next, finish: finishReasons.get(reason.toLowerCase()) ?? "stop" } : next, events];
}

function stepDelta(state: ChatState, choice: Choice & { readonly delta: Delta }): Step {
  const [untaggedState, delta] = untagged(state, choice.delta);
  return inTurn(untaggedState, [
    (now) => stepReasoning(now, delta),
    (now) => stepMessage(now, { ...choice, delta }),
    (now) => stepCalls(now, delta),
  ]);
}

/** What was kept until the answer's end: half a tag, and the pages that it is from. */
function stepEnd(state: ChatState): Step {
  if (state.tags === undefined && state.sources.length === 0) return [state, []];
  const delta = heldBack(state);
  return inTurn({ ...state, tags: undefined, sources: [] }, [
    (now) => stepReasoning(now, delta),
    (now) => stepMessage(now, { delta }),
    (now) =>
      now.open?.type === "message"
        ? stepMessage(now, { delta: { annotations: [...state.sources] } })
        : [now, []],
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

/** The end. What was cut short stays open, so that nobody is told that it is complete. */
export function conclude(state: ChatState): Step {
  if (state.over) return [state, []];
  const { finish } = state;
  if (finish === undefined) return fail(state, state.begun ? cut : empty);
  if (state.calls.some(({ name, status }) => status === "naming" && name === "")) {
    return fail(state, nameless);
  }
  const [ended, last] = stepEnd(state);
  const [closed, events] = finish === "stop" ? closeAll(ended) : [ended, []];
  const { usage, serviceTier } = state;
  return [{ ...closed, over: true }, [...last, ...events, {
    type: "finish",
    reason: finish,
    usage: inTier(usage, serviceTier),
    serviceTier,
  }]];
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
const nameless: Failure = {
  kind: "upstream_failed",
  message: "The provider sent a tool call without a name.",
};

/** Nothing that comes after counts (faults U15). */
export function fail(state: ChatState, failure: Failure): Step {
  return [{ ...state, over: true }, [{ type: "failure", failure, usage: state.usage }]];
}
