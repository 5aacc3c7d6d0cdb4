/** Measures audio: for receipts that count seconds, and for tests. */

import type { Source } from "../../protocols/stream/source.ts";
import type { AudioInput } from "./decode.ts";
import { decode } from "./decode.ts";
import type { SampleBlock } from "./samples.ts";

interface AudioMeasurement {
  readonly sampleRate: number;
  readonly channels: number;
  readonly seconds: number;
  /** The root of the mean square of all samples, 0 to 1. */
  readonly loudness: number;
  /** The largest sample. */
  readonly peak: number;
}

/** Decodes the whole of it. Throws an AudioFault. */
export async function measureAudio(input: AudioInput): Promise<AudioMeasurement> {
  const { sampleRate, channels, blocks } = await decode(input);
  let count = 0;
  let squares = 0;
  let peak = 0;
  for await (const samples of arraysOf(blocks)) {
    count += samples.length;
    for (const value of samples) {
      squares += value * value;
      peak = Math.max(peak, Math.abs(value));
    }
  }
  const seconds = count / channels / sampleRate;
  return { sampleRate, channels, seconds, loudness: Math.sqrt(squares / Math.max(1, count)), peak };
}

async function* arraysOf(blocks: Source<SampleBlock>): AsyncGenerator<Float32Array> {
  for (let batch = await blocks.pull(); batch !== undefined; batch = await blocks.pull()) {
    for (const block of batch) yield* block;
  }
}
