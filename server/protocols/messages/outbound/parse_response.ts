/** A whole answer → the events that a stream would have brought: it is read as a stream of whole blocks. */

import type { Failure, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { parseFailure } from "./parse_error.ts";
import { failStream, finishStream, initialState, stepEvent } from "./parse_events.ts";
import {
  type ContentBlock,
  type MessagesEvent,
  type MessagesResponse,
  responseSchema as answerSchema,
} from "./response_schema.ts";
import { type MessagesState, runSteps } from "./parse_state.ts";

export function parseResponse(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const state = initialState(request);
  if (isError(body)) return failStream(state, parseFailure(body))[1];
  const { data } = answerSchema.safeParse(body);
  if (data === undefined) return failStream(state, malformed)[1];
  const steps = eventsOf(data).map((event) => (now: MessagesState) => stepEvent(now, event));
  return runSteps(state, [...steps, finishStream])[1];
}

const isError = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && Boolean(body.error);

const malformed: Failure = { kind: "upstream_failed", message: "The provider's answer cannot be read." };

/** Where the whole answer is there, a missing stop reason hides nothing. */
function eventsOf({ content, usage, id, model, ...stopped }: MessagesResponse): readonly MessagesEvent[] {
  const blocks = content.flatMap(blockEvents);
  return [
    { type: "message_start", message: { id, model } },
    ...blocks,
    { type: "message_delta", usage, delta: { ...stopped, stop_reason: stopped.stop_reason || "end_turn" } },
  ];
}

/** What a call was given is here as it is, be it nothing; in a stream it would have come in pieces. */
function blockEvents({ input, ...block }: ContentBlock): readonly MessagesEvent[] {
  const ends = { type: "content_block_stop" } as const;
  if (block.type !== "tool_use") {
    return [{ type: "content_block_start", content_block: { ...block, input } }, ends];
  }
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) };
  return [
    { type: "content_block_start", content_block: block },
    { type: "content_block_delta", delta },
    ends,
  ];
}
