/** A whole answer → the events that a stream would have brought: it is read as a stream of one chunk. */

import type { ModelEvent } from "../../canonical/event.ts";
import { unreadableAnswer } from "../../common/outbound/failures.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { parseFailure } from "./parse_error.ts";
import { failStream, finishStream, initialState, stepChunk, withOwnFields } from "./events/parse_events.ts";
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  responseSchema as answerSchema,
} from "./response_schema.ts";
import type { ChatState } from "./events/parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";
import type { ReadOptions } from "../../wire.ts";

export function parseResponse(
  body: unknown,
  request: ModelRequest,
  options?: ReadOptions,
): readonly ModelEvent[] {
  const { data } = answerSchema.safeParse(body);
  const state = withOwnFields(initialState(request, options), body);
  if (data === undefined || !(isError(data) || isAnswer(data))) return failStream(state, unreadableAnswer)[1];
  if (data.error && isAnswer(data)) return failedAnswer(state, data);
  return runSteps(state, [(now) => stepChunk(now, asChunk(data)), finishStream])[1];
}

const isError = ({ error, object }: ChatCompletion) => Boolean(error) || object === "error";

const isAnswer = ({ choices }: ChatCompletion) =>
  choices?.some(({ message, delta }) => message ?? delta) ?? false;

/** Makes the events of an answer that failed, with what was made before the error. */
function failedAnswer(state: ChatState, { error, ...answer }: ChatCompletion): readonly ModelEvent[] {
  const chunk = asChunk(answer);
  const choices = chunk.choices?.map((choice) => ({ ...choice, finish_reason: null }));
  return runSteps(state, [
    (now) => stepChunk(now, { ...chunk, choices }),
    (now) => failStream(now, parseFailure(error)),
  ])[1];
}

/** Where the whole answer is there, a missing finish reason hides nothing. */
function asChunk(answer: ChatCompletion): ChatCompletionChunk {
  const choices = answer.choices?.map(({ message, ...choice }) => ({
    ...choice,
    delta: message ?? choice.delta,
    finish_reason: choice.finish_reason || "stop",
  }));
  return { ...answer, choices };
}
