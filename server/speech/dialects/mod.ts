/** The dialects of speech: the type checker asks for the missing ones. */

import type { SpeechDialectId } from "../../protocols/canonical/speech.ts";
import type { SpeechDialect } from "../dialect.ts";
import { azureSpeech } from "./azure.ts";
import { cartesiaSpeech } from "./cartesia.ts";
import { deepgramSpeech } from "./deepgram.ts";
import { elevenlabsSpeech } from "./elevenlabs.ts";
import { geminiSpeech } from "./gemini.ts";
import { mistralSpeech } from "./mistral.ts";
import { openaiSpeech } from "./openai.ts";

const dialects: { readonly [D in SpeechDialectId]: SpeechDialect } = {
  openai: openaiSpeech,
  elevenlabs: elevenlabsSpeech,
  gemini: geminiSpeech,
  azure: azureSpeech,
  deepgram: deepgramSpeech,
  cartesia: cartesiaSpeech,
  mistral: mistralSpeech,
};

export const speechDialect = (id: SpeechDialectId): SpeechDialect => dialects[id];
