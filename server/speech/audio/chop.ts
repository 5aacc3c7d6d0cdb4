/** What decoders hand out, in blocks. */

import { blockLength, MAX_BLOCK_SAMPLES, type SampleBlock } from "./samples.ts";

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
