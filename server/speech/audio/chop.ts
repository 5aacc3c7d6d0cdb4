/** What decoders hand out, in blocks. */

import { type Block, lengthOf, LONGEST_BLOCK } from "./samples.ts";

/** The samples of `block` in blocks of a moderate length, without the first `from` and those from `to` on. */
export function chopped(block: Block, { from = 0, to = lengthOf(block) } = {}): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = from; at < to; at += LONGEST_BLOCK) {
    const end = Math.min(to, at + LONGEST_BLOCK);
    blocks.push(block.map((samples) => samples.subarray(at, end)));
  }
  return blocks;
}
