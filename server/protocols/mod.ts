/** The wires on which we call providers: the type checker asks for the missing ones. */

import type { WireId } from "../hub/item.ts";
import { bedrockOutbound } from "./bedrock/outbound.ts";
import { chatOutbound } from "./chat/outbound.ts";
import { messagesOutbound } from "./messages/outbound.ts";
import { geminiOutbound } from "./gemini/outbound.ts";
import { responsesOutbound } from "./responses/outbound.ts";
import type { Outbound } from "./wire.ts";

const outbounds: { readonly [W in WireId]: Outbound<unknown> } = {
  responses: responsesOutbound,
  bedrock: bedrockOutbound,
  chat: chatOutbound,
  gemini: geminiOutbound,
  messages: messagesOutbound,
};

/** The side of a wire on which we call. */
export const outboundOf = (wire: WireId): Outbound<unknown> => outbounds[wire];
