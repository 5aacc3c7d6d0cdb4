/** 16-bit little-endian samples, interleaved: what `audio/pcm` means at our API. */

import type { StateMachine } from "../../../protocols/stream/state_machine.ts";
import { blockLength, type SampleBlock } from "../samples.ts";

/** Blocks → bytes. Louder than the loudest is cut off. */
export const pcmEncoder: StateMachine<null, SampleBlock, Uint8Array> = {
  initial: null,
  step: (state, block) => [state, [pcmOf(block)]],
};

function pcmOf(block: SampleBlock): Uint8Array {
  const channels = block.length;
  const frames = blockLength(block);
  const bytes = new Uint8Array(frames * channels * 2);
  const view = new DataView(bytes.buffer);
  for (const [channel, samples] of block.entries()) {
    for (let at = 0; at < frames; at++) {
      const value = Math.round((samples[at] ?? 0) * 32_768);
      view.setInt16((at * channels + channel) * 2, Math.max(-32_768, Math.min(32_767, value)), true);
    }
  }
  return bytes;
}
