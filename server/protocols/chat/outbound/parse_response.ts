/** A whole answer → the events that a stream would have brought: it is read as a stream of one chunk. */

import type { Failure, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { conclude, fail, initialState, stepChunk } from "./parse_events.ts";
import { answer as answerSchema, type ChatAnswer, type Chunk } from "./response_schema.ts";
import { inTurn } from "./parse_state.ts";
import type { Dialect } from "../../wire.ts";

export function parseAnswer(
  body: unknown,
  request: ModelRequest,
  dialect?: Dialect,
): readonly ModelEvent[] {
  const { data } = answerSchema.safeParse(body);
  const state = initialState(request, dialect);
  if (data === undefined || !(isError(data) || isAnswer(data))) return fail(state, malformed)[1];
  return inTurn(state, [(now) => stepChunk(now, asChunk(data)), conclude])[1];
}

const isError = ({ error, object }: ChatAnswer) => Boolean(error) || object === "error";

const isAnswer = ({ choices }: ChatAnswer) =>
  choices?.some(({ message, delta }) => message ?? delta) ?? false;

const malformed: Failure = { kind: "upstream_failed", message: "The provider's answer cannot be read." };

/** Where the whole answer is there, a missing finish reason hides nothing. */
function asChunk(answer: ChatAnswer): Chunk {
  const choices = answer.choices?.map(({ message, ...choice }) => ({
    ...choice,
    delta: message ?? choice.delta,
    finish_reason: choice.finish_reason || "stop",
  }));
  return { ...answer, choices };
}
