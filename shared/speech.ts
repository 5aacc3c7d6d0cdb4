/** The body of POST /audio/speech (specification, Speech request; specification, POST /audio/speech). */

import * as z from "zod";
import { boundedText, closedObject, jsonObject, nonEmptyString } from "./fields/primitives.ts";
import { providerPreferences, trace } from "./fields/gateway_preferences.ts";

const speechFormats = ["mp3", "pcm"] as const;

/** Characters of a text that is to be spoken: about as much as may be spoken while an answer may last. */
export const MAX_INPUT_CHARACTERS = 200_000;

/** Characters of base64 that a reference may have: 15 MiB of sound. */
export const MAX_REFERENCE_CHARACTERS = 20_971_520;

const audioPart = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({
    /** A data URL, or bare base64. Its size is judged by itself: too much of it is 413. */
    data: nonEmptyString,
    format: z.string().nullish(),
  }),
});

const textPart = z.looseObject({ type: z.literal("text"), text: boundedText(10_000) });

const part = z.discriminatedUnion("type", [audioPart, textPart]);
export type ReferencePart = z.infer<typeof part>;

/** One recording, perhaps with what is said in it. */
function checkReferences(payload: z.core.ParsePayload<readonly ReferencePart[]>): void {
  const complain = (message: string) =>
    payload.issues.push({ code: "custom", message, input: payload.value });
  const count = (type: ReferencePart["type"]) => payload.value.filter((one) => one.type === type).length;
  if (count("input_audio") !== 1) {
    complain(`has ${count("input_audio")} parts of type input_audio; exactly one is needed`);
  } else if (count("text") > 1) complain(`has ${count("text")} parts of type text; at most one is allowed`);
}

/** `{id}` names a voice of the caller's own at OpenAI. */
const voice = z.union([nonEmptyString, z.looseObject({ id: nonEmptyString })]);

/** Options for one provider, by its slug; others never see them. Routing preferences stand beside it. */
const provider = closedObject({
  ...providerPreferences.shape,
  options: z.record(z.string(), jsonObject).nullish(),
});

export const speechRequest = z.looseObject({
  model: nonEmptyString.nullish(),
  models: z.array(nonEmptyString).nullish(),
  /** How much of it there may be is judged by itself: too much is 413. */
  input: nonEmptyString,
  voice: voice.nullish(),
  response_format: z.enum(speechFormats).nullish(),
  /** The sound as bytes, or as events with base64 in them. */
  stream_format: z.enum(["audio", "sse"]).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  instructions: z.string().nullish(),
  input_references: z.union([z.array(part).check(checkReferences), part]).nullish(),
  provider: provider.nullish(),
  session_id: boundedText(256).nullish(),
  trace: trace.nullish(),
  user: boundedText(256).nullish(),
});
export type SpeechRequest = z.infer<typeof speechRequest>;
