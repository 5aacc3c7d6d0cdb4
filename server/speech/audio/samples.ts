/** Sound between a decoder and an encoder. */

import type { Source } from "../../protocols/stream/source.ts";

/** Samples in [-1, 1], an array for each channel, all of one length. Nobody writes into a block it was given. */
export type SampleBlock = readonly Float32Array[];

/** Samples of a block at most: what keeps a stream's memory and its turns short. */
export const MAX_BLOCK_SAMPLES = 4_096;

export interface DecodedAudio {
  /** Samples a second. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly blocks: Source<SampleBlock>;
}

/** Samples of each channel. */
export function blockLength(block: SampleBlock): number {
  return block[0]?.length ?? 0;
}

/** The samples of `block` in blocks of a moderate length, without the first `from` and those from `to` on. */
export function splitBlock(
  block: SampleBlock,
  { from = 0, to = blockLength(block) } = {},
): readonly SampleBlock[] {
  const blocks: SampleBlock[] = [];
  for (let at = from; at < to; at += MAX_BLOCK_SAMPLES) {
    const end = Math.min(to, at + MAX_BLOCK_SAMPLES);
    blocks.push(block.map((samples) => samples.subarray(at, end)));
  }
  return blocks;
}
