/** The event stream of streamGenerateContent → model events. */

import { tryParseJson } from "../../../../shared/util/json.ts";
import { runSteps, type StateMachine } from "../../stream/state_machine.ts";
import type { SseFrame } from "../../stream/sse.ts";
import { closeOpenItem } from "./parse_item_end.ts";
import { parseFinishReason } from "./parse_finish.ts";
import { parseLogprobs, stepPart } from "./parse_parts.ts";
import { parseFailure } from "./parse_error.ts";
import { chunkSchema as chunkSchema, type GeminiCandidate, type GeminiChunk } from "./response_schema.ts";
import { createState, type GeminiState, type ParseStep } from "./parse_state.ts";
import { modelFamily } from "./model_family.ts";
import { geminiToolNames } from "./render_tools.ts";
import { hasFallen, parseUsage } from "./parse_usage.ts";
import { laterUsage } from "../../canonical/usage.ts";
import type { Failure, ModelEvent } from "../../canonical/event.ts";
import { emptyAnswer, malformedEvent, streamCut, unreadableAnswer } from "../../common/outbound/failures.ts";
import { maxCallsOf } from "../../common/outbound/tool_offer.ts";
import type { ModelRequest } from "../../canonical/request.ts";

/**
 * A fold over the provider's frames. Nothing on this wire says that the stream is whole: the last chunk has a
 * finish reason, but older models put one on every chunk, so the end of the bytes ends the answer, and without
 * a reason before it the answer was cut (faults U9).
 */
export function parseEvents(request: ModelRequest): StateMachine<GeminiState, SseFrame, ModelEvent> {
  return { initial: initialState(request), step, finish: (state) => finishStream(state)[1] };
}

function initialState(request: ModelRequest): GeminiState {
  const { model = "", tools } = request;
  return createState({ names: geminiToolNames(tools), maxCalls: maxCallsOf(request), model });
}

function step(state: GeminiState, { data }: SseFrame): ParseStep {
  if (state.over || data.trim() === "") return [state, []];
  const chunk = parseChunk(data);
  return chunk === undefined ? failStream(state, malformedEvent) : stepChunk(state, chunk);
}

/** Undefined for what is not a chunk. */
function parseChunk(data: string): GeminiChunk | undefined {
  return chunkSchema.safeParse(tryParseJson(data)).data;
}

/** One chunk. Only the first candidate counts: more were never asked for. */
function stepChunk(state: GeminiState, chunk: GeminiChunk): ParseStep {
  const noted = withUsage(state, chunk);
  if (chunk.error) return failStream(noted, parseFailure(chunk.error));
  const candidate = chunk.candidates?.find(({ index }) => (index ?? 0) === 0);
  return runSteps(noted, [
    (now) => begin(now, chunk),
    ...(candidate === undefined ? [] : [(now: GeminiState) => stepCandidate(now, candidate)]),
  ]);
}

/** Counts are cumulative. A prompt that is blocked has no candidates at all. */
function withUsage(state: GeminiState, { usageMetadata, promptFeedback }: GeminiChunk): GeminiState {
  const reason = promptFeedback?.blockReason;
  const blocked = reason && reason !== "BLOCKED_REASON_UNSPECIFIED";
  if (!usageMetadata && !blocked) return state;
  return {
    ...state,
    usage: usageMetadata || state.usage,
    fallenUsage: usageMetadata && hasFallen(state.usage, usageMetadata)
      ? laterUsage(state.fallenUsage, parseUsage(state.usage))
      : state.fallenUsage,
    end: blocked ? { type: "finish", reason: "content_filter" } : state.end,
  };
}

function begin(state: GeminiState, { responseId, modelVersion }: GeminiChunk): ParseStep {
  if (state.begun) return [state, []];
  const begun = { ...state, begun: true, modelVersion: modelVersion ?? undefined };
  return [begun, [{
    type: "begin",
    upstreamId: responseId ?? undefined,
    model: modelVersion ?? undefined,
  }]];
}

function stepCandidate(state: GeminiState, candidate: GeminiCandidate): ParseStep {
  const { content, finishReason, finishMessage, logprobsResult, groundingMetadata, citationMetadata } =
    candidate;
  const known: GeminiState = groundingMetadata || citationMetadata
    ? {
      ...state,
      grounding: groundingMetadata ?? state.grounding,
      queries: withQueries(state.queries, groundingMetadata?.webSearchQueries ?? []),
      citations: citationMetadata?.citations ?? state.citations,
    }
    : state;
  const parts = content?.parts ?? [];
  const speaking = logprobsResult ? parts.findIndex(({ text, thought }) => text && !thought) : -1;
  const [next, events] = runSteps(
    known,
    parts.map((part, at) => (now) =>
      stepPart(now, part, {
        logprobs: at === speaking && logprobsResult ? parseLogprobs(logprobsResult) : undefined,
      })
    ),
  );
  const end = finishReason ? parseFinishReason(finishReason, finishMessage) : undefined;
  return [end === undefined ? next : { ...next, end }, events];
}

/** The end. What was cut short stays open, so that nobody is told that it is complete. */
function finishStream(state: GeminiState): ParseStep {
  if (state.over) return [state, []];
  const { end } = state;
  if (end === undefined) return failStream(state, state.begun ? streamCut : emptyAnswer);
  if (end.type === "failure") return failStream(state, end.failure);
  const [closed, events] = end.reason === "stop" ? closeOpenItem(state) : [state, []];
  const usage = usageOf(state);
  return [{ ...closed, over: true }, [...events, { type: "finish", reason: end.reason, usage }]];
}

/** Nothing that comes after counts (faults U15). */
function failStream(state: GeminiState, failure: Failure): ParseStep {
  return [{ ...state, over: true }, [{ type: "failure", failure, usage: usageOf(state) }]];
}

/** Google charges for no query twice, and for none that is empty. */
function withQueries(known: ReadonlySet<string>, named: readonly string[]): ReadonlySet<string> {
  const queries = named.map((query) => query.trim()).filter((query) => query !== "");
  return queries.length === 0 ? known : new Set([...known, ...queries]);
}

/** Usage that the provider has counted so far. */
export const usageOf = (state: GeminiState) =>
  laterUsage(state.fallenUsage, parseUsage(state.usage, searchesIn(state)));

function searchesIn({ queries, modelVersion, context }: GeminiState): number {
  if (queries.size === 0) return 0;
  return modelFamily(modelVersion ?? context.model).searchesBy === "query" ? queries.size : 1;
}

export function parseResponse(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const { data } = chunkSchema.safeParse(body);
  const state = initialState(request);
  if (data === undefined || !(data.error || isAnswer(data))) return failStream(state, unreadableAnswer)[1];
  return runSteps(state, [(now) => stepChunk(now, finished(data)), finishStream])[1];
}

const isAnswer = ({ candidates, promptFeedback }: GeminiChunk) =>
  (candidates?.length ?? 0) > 0 || Boolean(promptFeedback?.blockReason);

/** Where the whole answer is there, a missing finish reason hides nothing. */
function finished(answer: GeminiChunk): GeminiChunk {
  const candidates = answer.candidates?.map((one) =>
    one.content ? { ...one, finishReason: one.finishReason || "STOP" } : one
  );
  return { ...answer, candidates };
}
