/** The dialects of speech: the type checker asks for the missing ones. */

import type { SpeechDialectId } from "../../canonical/speech.ts";
import type { SpeechDialect } from "../dialect.ts";
import { azure } from "./azure.ts";
import { cartesia } from "./cartesia.ts";
import { deepgram } from "./deepgram.ts";
import { elevenlabs } from "./elevenlabs.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";

const dialects: { readonly [D in SpeechDialectId]: SpeechDialect } = {
  openai,
  elevenlabs,
  gemini,
  azure,
  deepgram,
  cartesia,
  mistral,
};

export const dialectOf = (id: SpeechDialectId): SpeechDialect => dialects[id];
