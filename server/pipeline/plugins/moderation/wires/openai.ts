/** `POST /moderations` of OpenAI: texts in one call, or one image. */

import { parseScoredResults } from "./scored_results.ts";
import type { ModerationInput, ModerationWire } from "./wire.ts";

export const openai: ModerationWire = {
  readsImages: true,
  textsAtOnce: 32,
  renderCall: (inputs, { model }) => ({
    path: "/moderations",
    body: { model, input: inputs.some(isImage) ? inputs.map(partOf) : inputs.map(textOf) },
  }),
  parseReply: parseScoredResults,
};

const isImage = ({ type }: ModerationInput): boolean => type === "image";
const textOf = (input: ModerationInput): string => input.type === "text" ? input.text : input.url;

const partOf = (input: ModerationInput) =>
  input.type === "text"
    ? { type: "text", text: input.text }
    : { type: "image_url", image_url: { url: input.url } };
