import type { WireId } from "../../server/protocols/canonical/item.ts";

/** The wires as the documents call them. */
export const wireNames: { readonly [W in WireId]: string } = {
  responses: "Responses",
  chat: "Chat Completions",
  messages: "Messages",
  gemini: "Gemini",
  bedrock: "Bedrock",
};
