/** POST /messages: Anthropic's wire as an API. */

import { inputOutputCostNames, renderCost } from "../../common/inbound/render_cost.ts";
import type { Inbound } from "../../wire.ts";
import type { MessagesResponseOptions, MessagesStreamEvent } from "./render_context.ts";
import { renderError } from "./render_error.ts";
import { renderEvents, renderResponse, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

export const messagesInbound: Inbound<MessagesResponseOptions, RenderState, MessagesStreamEvent> = {
  wire: "messages",
  idPrefix: "msg_",
  parseRequest,
  renderEvents,
  renderResponse,
  renderCost: (billed) => renderCost(billed, inputOutputCostNames),
  renderError,
  /** Clients of this wire go by the event's name. */
  frame: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  isLastEvent: ({ type }) => type === "message_stop" || type === "error",
  terminator: "",
};
