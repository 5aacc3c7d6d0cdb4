/** Traits of the wires themselves, which no row need state. */

import type { HostTrait } from "../../../canonical/endpoint_words.ts";
import type { WireId } from "../../../canonical/item.ts";

const everywhere: readonly HostTrait[] = ["object_schemas", "listed_sampling"];

export const wireTraits: { readonly [W in WireId]: readonly HostTrait[] } = {
  responses: everywhere,
  chat: everywhere,
  messages: everywhere,
  gemini: [...everywhere, "user_last", "letter_names"],
  bedrock: [...everywhere, "unique_documents"],
};
