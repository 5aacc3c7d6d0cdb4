/** POST /chat/completions: the door that most clients know. */

import { promptAndCompletions, renderBilled } from "../common/billed.ts";
import { envelopeOf } from "../common/envelope.ts";
import { messagesForInput, withFieldNames } from "../common/field_names.ts";
import type { Inbound } from "../wire.ts";
import { renderAnswer } from "./inbound_answer.ts";
import type { ChatChunk, ChatEcho } from "./inbound_context.ts";
import { renderEvents, type RenderState } from "./inbound_events.ts";
import { parseRequest } from "./inbound_request.ts";

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
