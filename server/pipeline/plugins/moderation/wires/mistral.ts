/** `POST /moderations` of Mistral, which reads texts only. */

import { parseScoredResults } from "./scored_results.ts";
import type { ModerationWire } from "./wire.ts";

export const mistral: ModerationWire = {
  readsImages: false,
  textsAtOnce: 32,
  renderCall: (inputs, { model }) => ({
    path: "/moderations",
    body: { model, input: inputs.flatMap((input) => input.type === "text" ? [input.text] : []) },
  }),
  parseReply: parseScoredResults,
};
