/** Schema of `POST /audio/speech`, in the words of the original. */

import * as z from "zod";
import { invalidRequest, parseJsonBody, WireError } from "../wire_error.ts";
import { DEFAULT_VOICE, voiceFile, voiceNames } from "../../../shared/embedded_voices.ts";

/** Characters of a text, at most; the original takes 4,096. */
const LONGEST_TEXT = 100_000;

const schema = z.object({
  model: z.string(),
  input: z.string(),
  voice: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  response_format: z.string().nullish(),
  speed: z.number().nullish(),
});

export interface LocalSpeechRequest {
  readonly input: string;
  /** The package's name of the voice. */
  readonly voice: string;
  readonly format: LocalAudioFormat;
  readonly speed: number;
}

const formats = ["mp3", "wav", "pcm"] as const;

export type LocalAudioFormat = typeof formats[number];

/** Throws a WireError that names what is wrong and what is allowed. */
export function parseLocalSpeechRequest(text: string): LocalSpeechRequest {
  const parsed = schema.safeParse(parseJsonBody(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = String(issue?.path[0] ?? "");
    throw invalidRequest(`Invalid value for '${param}': ${issue?.message}.`, "invalid_type", { param });
  }
  const { model, input, voice, response_format, speed } = parsed.data;
  if (model !== "voice" && model !== "local/voice") {
    const message = `The model '${model.slice(0, 100)}' does not exist.`;
    throw new WireError(404, { message, type: "invalid_request_error", code: "model_not_found" });
  }
  return {
    input: checkedText(input),
    voice: checkedVoice(typeof voice === "object" ? voice?.id : voice),
    format: checkedFormat(response_format ?? "mp3"),
    speed: checkedSpeed(speed ?? 1),
  };
}

/** For a text of which no voice would make a sound. */
export function emptySpeechError(): WireError {
  const message = "Invalid 'input': there is nothing to say in it.";
  return invalidRequest(message, "invalid_value", { param: "input" });
}

function checkedText(input: string): string {
  if (input.length > LONGEST_TEXT) {
    const message = `Invalid 'input': it has ${input.length} characters, allowed are up to ${LONGEST_TEXT}.`;
    throw invalidRequest(message, "string_above_max_length", { param: "input" });
  }
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(input)) {
    throw emptySpeechError();
  }
  // The program of the voices reads texts that end at a zero, and its commands begin with a control character.
  // deno-lint-ignore no-control-regex -- control characters are what is meant
  return input.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, " ");
}

function checkedVoice(name: string | null | undefined): string {
  const file = voiceFile(name ?? DEFAULT_VOICE);
  if (file !== undefined) return file;
  const message = `Invalid value for 'voice': '${String(name).slice(0, 60)}' is no voice. ` +
    `Supported voices are: ${voiceNames.join(", ")}.`;
  throw invalidRequest(message, "invalid_value", { param: "voice" });
}

function checkedFormat(name: string): LocalAudioFormat {
  const format = formats.find((one) => one === name);
  if (format !== undefined) return format;
  const message = `Invalid value for 'response_format': '${name.slice(0, 60)}'. ` +
    `Supported formats are: ${formats.join(", ")}.`;
  throw invalidRequest(message, "invalid_value", { param: "response_format" });
}

function checkedSpeed(speed: number): number {
  if (speed >= 0.25 && speed <= 4) return speed;
  const message = `Invalid value for 'speed': ${speed}, allowed is 0.25 to 4.`;
  throw invalidRequest(message, "invalid_value", { param: "speed" });
}
