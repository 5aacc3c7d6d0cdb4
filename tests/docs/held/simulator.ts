/** docs/simulator-and-fault-lab.md. */

import { SLOW_MS } from "../../../server/local_provider/fault_lab/fault_responses.ts";
import { PATCH, TOKENS_A_PARTIAL } from "../../../server/local_provider/images/image_options.ts";
import { DIMENSIONS, MOST_DIMENSIONS } from "../../../server/local_provider/embedder.ts";
import { voiceFile, voiceNames } from "../../../shared/embedded_voices.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { type HeldPage, says, timeInWords } from "./held_page.ts";

const VOICES = "server/local_provider/voices";
const FAULTS = "server/local_provider/fault_lab";

const voices = new Set(voiceNames.map(voiceFile));

export const simulator: HeldPage = {
  rows: [
    says`one output token for each ${PATCH} × ${PATCH} pixels`,
    [
      "a quarter of that at low, four times as many at high",
      "server/local_provider/images/image_options.ts",
      "const tokensAPatch = { low: 1 / 4, medium: 1, high: 4 }",
    ],
    says`and ${TOKENS_A_PARTIAL} for each partial image`,
    says`${voices.size} voices by language code`,
    says`${DIMENSIONS} dimensions, or as many as are asked for, up to ${
      MOST_DIMENSIONS.toLocaleString("en")
    }`,
    ["speeds from 0.25 to 4", `${VOICES}/parse_speech_request.ts`, "speed >= 0.25 && speed <= 4"],
    ["(12 MB, checked)", `${VOICES}/voice_package.ts`, "12 MB"],
    says`Where it cannot be fetched the answer is ${kinds.not_found.status}`,
    says`while the fetch takes long it is ${kinds.not_ready.status}`,
    [
      "at 1 USD per million tokens either way",
      "server/providers/rows/local_provider.ts",
      'prompt: "0.000001", completion: "0.000001"',
    ],
    says`responds with ${timeInWords(SLOW_MS)} before each chunk`,
    ["sends one event of 64 MiB", `${FAULTS}/fault_responses.ts`, "const HUGE_BYTES = 64 * 1024 * 1024;"],
    ["answers 429 with `Retry-After: 2`", `${FAULTS}/fault_kinds.ts`, "Answers 429 with Retry-After: 2."],
  ],
  others: [
    [
      '`Use the datetime tool with: {"timezone": "Europe/Rome"}` and `Use the … tool to run: …`',
      "What a user writes; the model reads it.",
    ],
  ],
};
