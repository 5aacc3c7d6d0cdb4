/** How long sound lasts, from its bytes as they pass. Nothing is decoded. */

import type { AudioFormat } from "../protocols/canonical/speech.ts";
import { parseMp3Header } from "./audio/codecs/mp3_header.ts";

/** Bytes a second of compressed speech whose head says nothing: 128 and 32 kbit/s are what is usual. */
const USUAL_MP3 = 16_000;
const USUAL_OPUS = 4_000;

const sampleBytes = { s16le: 2, f32le: 4, mulaw: 1, alaw: 1 } as const;

/** Exact for raw samples and plain WAV; for MP3 as if all frames were like the first one. */
export class DurationMeter {
  readonly #format: AudioFormat;
  #bytes = 0;
  /** Bytes a second; undefined before the first bytes. */
  #rate: number | undefined;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  addBytes(bytes: Uint8Array): void {
    this.#rate ??= rateOf(bytes, this.#format);
    this.#bytes += bytes.length;
  }

  get seconds(): number {
    return this.#rate === undefined ? 0 : this.#bytes / this.#rate;
  }
}

function rateOf(bytes: Uint8Array, format: AudioFormat): number {
  const wav = wavRate(bytes);
  if (wav !== undefined) return wav;
  switch (format.type) {
    case "pcm":
      return format.sampleRate * format.channels * sampleBytes[format.encoding ?? "s16le"];
    case "opus":
      return USUAL_OPUS;
    case "mp3":
    case "wav":
      return mp3Rate(bytes);
    default:
      return format satisfies never;
  }
}

function mp3Rate(bytes: Uint8Array): number {
  const end = Math.min(bytes.length, 4_096);
  for (let at = 0; at < end; at++) {
    const head = parseMp3Header(bytes, at);
    if (head !== undefined) return head.bitrate / 8;
  }
  return USUAL_MP3;
}

/** The bytes a second that a WAV's head names where its format comes first, as it nearly always does. */
function wavRate(bytes: Uint8Array): number | undefined {
  if (bytes.length < 32 || String.fromCharCode(...bytes.subarray(0, 4)) !== "RIFF") return undefined;
  if (String.fromCharCode(...bytes.subarray(12, 16)) !== "fmt ") return undefined;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(28, true) || undefined;
}
