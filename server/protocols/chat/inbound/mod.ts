/** POST /chat/completions: the door that most clients know. */

import { promptAndCompletions, renderBilled } from "../../common/inbound/render_cost.ts";
import { envelopeOf } from "../../common/inbound/render_error.ts";
import { messagesForInput, withFieldNames } from "../../common/outbound/field_names.ts";
import type { Inbound } from "../../wire.ts";
import { renderAnswer } from "./render_response.ts";
import type { ChatChunk, ChatEcho } from "./render_context.ts";
import { renderEvents, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

export const chatInbound: Inbound<ChatEcho, RenderState, ChatChunk> = {
  wire: "chat",
  idPrefix: "gen-",
  parseRequest,
  renderEvents,
  renderAnswer,
  renderBilled: (billed) => renderBilled(billed, promptAndCompletions),
  renderRefusal: (refusal, told) =>
    envelopeOf(refusal, { ...told, details: withFieldNames(refusal.details, messagesForInput) }),
  frame: ({ body }) => `data: ${JSON.stringify(body)}\n\n`,
  isLast: ({ last }) => last,
  terminator: "data: [DONE]\n\n",
};
