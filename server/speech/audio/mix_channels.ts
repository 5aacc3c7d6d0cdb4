/** Channels into other channels. */

import type { StateMachine } from "../../protocols/stream/state_machine.ts";
import { blockLength, type SampleBlock } from "./samples.ts";

/** To one channel (their mean), or from one to several; several that are not the asked ones go through one. */
export function channelMixer(channels: number): StateMachine<null, SampleBlock, SampleBlock> {
  return { initial: null, step: (state, block) => [state, [mixed(block, channels)]] };
}

function mixed(block: SampleBlock, channels: number): SampleBlock {
  if (block.length === channels) return block;
  const mono = monoOf(block);
  return Array.from({ length: channels }, () => mono);
}

function monoOf(block: SampleBlock): Float32Array {
  const [only] = block;
  if (only !== undefined && block.length === 1) return only;
  const sum = new Float32Array(blockLength(block));
  for (const samples of block) for (const [at, value] of samples.entries()) sum[at] = (sum[at] ?? 0) + value;
  return sum.map((value) => value / block.length);
}
