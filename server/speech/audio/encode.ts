/** Sound → bytes. */

import { runMachine, type Source } from "../../protocols/stream/source.ts";
import { mp3RateFor, openMp3Encoder } from "./codecs/mp3.ts";
import { pcmEncoder } from "./codecs/pcm.ts";
import { withShape } from "./decode.ts";
import { onSourceEnd } from "./release_source.ts";
import type { DecodedAudio } from "./samples.ts";

/** Format of the result: `pcm` is 16-bit little-endian, interleaved. */
export interface AudioTarget {
  readonly codec: "pcm" | "mp3";
  /** Samples a second; absent: those of the sound. MP3 takes the next rate that it has. */
  readonly sampleRate?: number;
  /** Absent: as the sound has them, but one for more than two. */
  readonly channels?: 1 | 2;
}

export interface EncodedAudioStream {
  readonly source: Source<Uint8Array>;
  /** Samples a second of what comes out. */
  readonly sampleRate: number;
  readonly channels: number;
}

type AudioShape = Pick<DecodedAudio, "sampleRate" | "channels">;

/** Finds the shape of the result for a sound of `shape`. */
export function targetShapeOf(shape: AudioShape, to: AudioTarget): { sampleRate: number; channels: 1 | 2 } {
  const channels = to.channels ?? (shape.channels === 2 ? 2 : 1);
  const wanted = to.sampleRate ?? shape.sampleRate;
  return { sampleRate: to.codec === "mp3" ? mp3RateFor(wanted) : wanted, channels };
}

/** Encodes a sound, resampled and mixed as the target wants it. */
export async function encode(sound: DecodedAudio, to: AudioTarget): Promise<EncodedAudioStream> {
  const shape = targetShapeOf(sound, to);
  const { blocks } = withShape(sound, shape);
  if (to.codec === "pcm") return { ...shape, source: runMachine(pcmEncoder, blocks) };
  const { machine, end } = await openMp3Encoder({ ...shape, sampleRate: mp3RateFor(shape.sampleRate) });
  return { ...shape, source: onSourceEnd(runMachine(machine, blocks), end) };
}
