/** Sound between a decoder and an encoder. */

import type { Source } from "../../stream/source.ts";

/** Samples in [-1, 1], an array for each channel, all of one length. Nobody writes into a block it was given. */
export type Block = readonly Float32Array[];

/** Samples of a block at most: what keeps a stream's memory and its turns short. */
export const LONGEST_BLOCK = 4_096;

export interface Sound {
  /** Samples a second. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly blocks: Source<Block>;
}

/** Samples of each channel. */
export function lengthOf(block: Block): number {
  return block[0]?.length ?? 0;
}
