/** Detects the format of audio, from what is said of it and from its first bytes. */

import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import { AudioError } from "./audio_error.ts";

/** Codecs of {@link AudioFormat}, and those that are known but not read. */
type AudioCodec = AudioFormat["type"] | "aac" | "flac";

/** Bytes that `detectCodec` needs. */
export const SNIFF_BYTES = 12;

/** The codec that the first bytes show, or the announced one where they show none. */
export function detectCodec(bytes: Uint8Array, announced: AudioFormat["type"]): AudioCodec {
  const first = String.fromCharCode(...bytes.subarray(0, 4));
  const isWave = String.fromCharCode(...bytes.subarray(8, 12)) === "WAVE";
  if ((first === "RIFF" || first === "RF64") && isWave) return "wav";
  // Raw samples may begin with anything else.
  if (announced === "pcm") return announced;
  if (first === "OggS") return "opus";
  if (first === "fLaC") return "flac";
  if (first.startsWith("ID3")) return "mp3";
  const [sync = 0, kind = 0] = bytes;
  if (sync === 0xff && (kind & 0xf6) === 0xf0) return "aac";
  if (sync === 0xff && (kind & 0xe6) === 0xe2) return "mp3";
  return announced;
}

export function unsupportedCodec(codec: AudioCodec): AudioError {
  return new AudioError("unsupported", `Cannot read the audio: ${codec} is not supported`);
}
