/** POST /messages: Anthropic's wire as a door. */

import { inputAndOutput, renderBilled } from "../../common/inbound/render_cost.ts";
import type { Inbound } from "../../wire.ts";
import type { MessagesEcho, StreamEvent } from "./render_context.ts";
import { renderRefusal } from "./render_error.ts";
import { renderAnswer, renderEvents, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

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
