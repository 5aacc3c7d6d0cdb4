/** POST /chat/completions: the API that most clients know. */

import { promptCompletionCostNames, renderCost } from "../../common/inbound/render_cost.ts";
import { envelopeOf } from "../../common/inbound/render_error.ts";
import { messagesForInput, withFieldNames } from "../../common/outbound/field_names.ts";
import type { Inbound } from "../../wire.ts";
import { renderResponse } from "./render_response.ts";
import type { ChatChunk, ChatResponseOptions } from "./render_context.ts";
import { renderEvents, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

export const chatInbound: Inbound<ChatResponseOptions, RenderState, ChatChunk> = {
  wire: "chat",
  idPrefix: "gen-",
  parseRequest,
  renderEvents,
  renderResponse,
  renderCost: (billed) => renderCost(billed, promptCompletionCostNames),
  renderError: (error, errorContext) =>
    envelopeOf(error, { ...errorContext, details: withFieldNames(error.details, messagesForInput) }),
  frame: ({ body }) => `data: ${JSON.stringify(body)}\n\n`,
  isLastEvent: ({ last }) => last,
  terminator: "data: [DONE]\n\n",
};
