/** A whole answer → the events that a stream would have brought: it is the same object as a chunk. */

import type { Failure, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { conclude, fail, initialState, stepChunk } from "./parse_events.ts";
import { type Chunk, chunk as chunkSchema } from "./response_schema.ts";
import { inTurn } from "./parse_state.ts";

export function parseAnswer(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const { data } = chunkSchema.safeParse(body);
  const state = initialState(request);
  if (data === undefined || !(data.error || isAnswer(data))) return fail(state, malformed)[1];
  return inTurn(state, [(now) => stepChunk(now, finished(data)), conclude])[1];
}

const isAnswer = ({ candidates, promptFeedback }: Chunk) =>
  (candidates?.length ?? 0) > 0 || Boolean(promptFeedback?.blockReason);

const malformed: Failure = { kind: "upstream_failed", message: "The provider's answer cannot be read." };

/** Where the whole answer is there, a missing finish reason hides nothing. */
function finished(answer: Chunk): Chunk {
  const candidates = answer.candidates?.map((one) =>
    one.content ? { ...one, finishReason: one.finishReason || "STOP" } : one
  );
  return { ...answer, candidates };
}
