/** The recording of a voice that is to be cloned: its size, its type and its length are judged at the API. */

import { ApiError } from "../../shared/errors.ts";
import { MAX_REFERENCE_CHARACTERS, type ReferencePart, type SpeechRequest } from "../../shared/speech.ts";
import type { VoiceReference } from "../protocols/canonical/speech.ts";
import { readRecordingFormat } from "./recording_format.ts";

export interface ParsedReference {
  readonly reference: VoiceReference;
  /** Words that are said in it. */
  readonly transcript?: string;
}

/** Seconds: nobody clones a voice from less, and nobody takes more. */
const SHORTEST = 1;
const LONGEST = 600;

const PATH = "input_references";

/** Throws API errors: 413 for what is too large, 400 for what is no recording, or too short or long a one. */
export function parseVoiceReference(input: SpeechRequest["input_references"]): ParsedReference | undefined {
  if (input === null || input === undefined) return undefined;
  const parts: readonly ReferencePart[] = Array.isArray(input) ? input : [input];
  const at = parts.findIndex(({ type }) => type === "input_audio");
  const audio = parts[at];
  if (audio?.type !== "input_audio") throw bad(PATH, "is a text; a part of type input_audio is needed");
  const place = `${PATH}${Array.isArray(input) ? `[${at}]` : ""}.input_audio`;
  const text = parts.find((part) => part.type === "text");
  const transcript = text?.type === "text" ? text.text : undefined;
  return {
    reference: checkRecording(audio.input_audio.data, `${place}.data`),
    transcript: transcript || undefined,
  };
}

function bad(path: string, complaint: string): ApiError {
  return new ApiError("invalid_request", `${path} ${complaint}`, { metadata: { path } });
}

const dataUrl = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,8};base64,/i;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

function checkRecording(input: string, path: string): VoiceReference {
  const head = dataUrl.exec(input)?.[0] ?? "";
  if (head === "" && input.startsWith("data:")) throw bad(path, "is a data URL that is not in base64");
  const data = input.slice(head.length);
  if (data.length > MAX_REFERENCE_CHARACTERS) {
    const message =
      `${path} has ${data.length} characters of base64; at most ${MAX_REFERENCE_CHARACTERS} are allowed`;
    throw new ApiError("too_large", message, { metadata: { path } });
  }
  if (data === "") throw bad(path, "holds no sound");
  if (data.length % 4 === 1 || !base64.test(data)) throw bad(path, "is not base64");
  return decodeRecording(data, path);
}

function decodeRecording(data: string, path: string): VoiceReference {
  const recording = readRecordingFormat(bytesOf(data, path));
  if (recording === undefined) {
    throw bad(path, "is no recording that is known; allowed: WAV, MP3, FLAC, Ogg, MP4 and WebM");
  }
  const { mediaType, seconds } = recording;
  if (seconds !== undefined && (seconds < SHORTEST || seconds > LONGEST)) {
    const length = Math.round(seconds * 10) / 10;
    throw bad(path, `is ${length} s long; ${SHORTEST} s to ${LONGEST} s are allowed`);
  }
  return { data, mediaType, seconds };
}

function bytesOf(data: string, path: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(data, { lastChunkHandling: "loose" });
  } catch (cause) {
    throw new ApiError("invalid_request", `${path} is not base64`, { metadata: { path }, cause });
  }
}
