/** The wires on which we call providers: the type checker asks for the missing ones. */

import type { WireId } from "./canonical/item.ts";
import type { ModelRequest } from "./canonical/request.ts";
import { bedrockOutbound } from "./bedrock/outbound/mod.ts";
import { chatOutbound } from "./chat/outbound/mod.ts";
import { parseGeminiEmbeddings, renderGeminiEmbeddings } from "./embeddings/gemini.ts";
import { parseEmbeddings, renderEmbeddings } from "./embeddings/openai.ts";
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

type EmbeddingSide = Pick<Outbound<unknown>, "renderRequest" | "parseResponse">;

/** How providers of a wire are asked for vectors; errors are those of the wire. */
const embedders: { readonly [W in WireId]: EmbeddingSide | undefined } = {
  responses: { renderRequest: renderEmbeddings, parseResponse: parseEmbeddings("responses") },
  chat: { renderRequest: renderEmbeddings, parseResponse: parseEmbeddings("chat") },
  gemini: { renderRequest: renderGeminiEmbeddings, parseResponse: parseGeminiEmbeddings },
  messages: undefined,
  bedrock: undefined,
};

/** The side of a wire on which we call: for vectors, where the request asks for them. */
export function outboundFor(wire: WireId, request: Pick<ModelRequest, "embeddings"> = {}): Outbound<unknown> {
  const embedder = request.embeddings && embedders[wire];
  return embedder === undefined ? outbounds[wire] : { ...outbounds[wire], ...embedder };
}

/** Whether providers of a wire make embeddings. */
export const makesEmbeddings = (wire: WireId): boolean => embedders[wire] !== undefined;
