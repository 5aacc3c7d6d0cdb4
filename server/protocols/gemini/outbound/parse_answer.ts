/** A whole answer → the events that a stream would have brought: it is the same object as a chunk. */

import type { Failure, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { failStream, finishStream, initialState, stepChunk } from "./parse_events.ts";
import { chunkSchema as chunkSchema, type GeminiChunk } from "./response_schema.ts";
import { runSteps } from "./parse_state.ts";

export function parseResponse(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const { data } = chunkSchema.safeParse(body);
  const state = initialState(request);
  if (data === undefined || !(data.error || isAnswer(data))) return failStream(state, malformedResponse)[1];
  return runSteps(state, [(now) => stepChunk(now, finished(data)), finishStream])[1];
}

const isAnswer = ({ candidates, promptFeedback }: GeminiChunk) =>
  (candidates?.length ?? 0) > 0 || Boolean(promptFeedback?.blockReason);

const malformedResponse: Failure = {
  kind: "upstream_failed",
  message: "The provider's answer cannot be read.",
};

/** Where the whole answer is there, a missing finish reason hides nothing. */
function finished(answer: GeminiChunk): GeminiChunk {
  const candidates = answer.candidates?.map((one) =>
    one.content ? { ...one, finishReason: one.finishReason || "STOP" } : one
  );
  return { ...answer, candidates };
}
