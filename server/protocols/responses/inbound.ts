/** POST /responses: the wire on which clients call us that loses nothing of the hub. */

import type { Refusal } from "../../../shared/errors.ts";
import type { Json } from "../../hub/item.ts";
import type { Inbound, RefusalTold } from "../wire.ts";
import type { ResponseEcho } from "./echo.ts";
import type { StreamEvent } from "./inbound_context.ts";
import { renderAnswer, renderEvents, type RenderState } from "./inbound_events.ts";
import { parseRequest } from "./inbound_request.ts";

export const responsesInbound: Inbound<ResponseEcho, RenderState, StreamEvent> = {
  wire: "responses",
  idPrefix: "resp_",
  parseRequest,
  renderEvents,
  renderAnswer,
  renderRefusal: envelope,
  frame: (event) => `data: ${JSON.stringify(event)}\n\n`,
  isLast: ({ type }) => terminal.has(type),
  terminator: "data: [DONE]\n\n",
};

const terminal: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** The error envelope of the API: `code` is an integer, or typed clients break (wire-reference §1, 7). */
export function envelope(refusal: Refusal, { status }: RefusalTold): Json {
  const { metadata, availability } = refusal.details;
  return {
    error: {
      code: status,
      message: refusal.message,
      metadata: { error_type: refusal.errorType, ...metadata },
      ...(availability === undefined ? {} : { availability }),
    },
    user_id: null,
  };
}
