/** POST /messages: Anthropic's wire as a door. */

import { inputAndOutput, renderBilled } from "../common/billed.ts";
import type { Inbound } from "../wire.ts";
import type { MessagesEcho, StreamEvent } from "./inbound_context.ts";
import { renderRefusal } from "./inbound_error.ts";
import { renderAnswer, renderEvents, type RenderState } from "./inbound_events.ts";
import { parseRequest } from "./inbound_request.ts";

export const messagesInbound: Inbound<MessagesEcho, RenderState, StreamEvent> = {
  wire: "messages",
  idPrefix: "msg_",
  parseRequest,
  renderEvents,
  renderAnswer,
  renderBilled: (billed) => renderBilled(billed, inputAndOutput),
  renderRefusal,
  /** Clients of this wire go by the event's name. */
  frame: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  isLast: ({ type }) => type === "message_stop" || type === "error",
  terminator: "",
};
