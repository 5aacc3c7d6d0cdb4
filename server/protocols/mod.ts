/** The wires on which we call providers: the type checker asks for the missing ones. */

import type { WireId } from "./canonical/item.ts";
import { bedrockOutbound } from "./bedrock/outbound/mod.ts";
import { chatOutbound } from "./chat/outbound/mod.ts";
import { messagesOutbound } from "./messages/outbound/mod.ts";
import { geminiOutbound } from "./gemini/outbound/mod.ts";
import { responsesOutbound } from "./responses/outbound/mod.ts";
import type { Outbound } from "./wire.ts";

const outbounds: { readonly [W in WireId]: Outbound<unknown> } = {
  responses: responsesOutbound,
  bedrock: bedrockOutbound,
  chat: chatOutbound,
  gemini: geminiOutbound,
  messages: messagesOutbound,
};

/** The side of a wire on which we call. */
export const outboundFor = (wire: WireId): Outbound<unknown> => outbounds[wire];
