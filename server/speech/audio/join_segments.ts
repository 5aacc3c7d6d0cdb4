/** Several pieces of audio as one: a long text is spoken in pieces, and the listener must not hear where. */

import type { Source } from "../../stream/source.ts";
import { type AudioInput, decode, shaped } from "./decode.ts";
import { type AudioTarget, type Converted, encode, targetShape } from "./encode.ts";
import { AudioFault } from "./audio_error.ts";
import { createSeam, type Seam } from "./segment_joint.ts";
import type { Block, Sound } from "./samples.ts";

export interface Joining {
  /**
   * The next piece, undefined after the last one; asked for when the one before is over. What it throws ends the
   * whole.
   */
  readonly next: () => Promise<AudioInput | undefined>;
  readonly to: AudioTarget;
}

/**
 * Waits for the first piece's head and says what comes out: the pieces through one encoder, in the shape of the
 * first where the target leaves it open. Throws an AudioFault, now or at a pull.
 */
export async function join({ next, to }: Joining): Promise<Converted> {
  const input = await next();
  if (input === undefined) throw new AudioFault("empty", "Cannot read the audio: there is none");
  const first = await decode(input);
  const shape = targetShape(first, to);
  return await encode({ ...shape, blocks: joinedBlocks({ first, next, shape }) }, to);
}

interface Pieces {
  readonly first: Sound;
  readonly next: Joining["next"];
  readonly shape: Pick<Sound, "sampleRate" | "channels">;
}

function joinedBlocks({ first, next, shape }: Pieces): Source<Block> {
  const seam = createSeam(shape);
  let piece: Source<Block> | undefined = shaped(first, shape).blocks;
  let left: string | undefined;
  const pull = async (): Promise<readonly Block[] | undefined> => {
    while (piece !== undefined && left === undefined) {
      const batch = await piece.pull();
      const out = batch === undefined ? await turn() : throughSeam(seam, batch);
      if (out.length > 0) return out;
    }
    return undefined;
  };
  const turn = async () => {
    const input = await next();
    if (left !== undefined) input?.source.cancel(left);
    piece = input === undefined || left !== undefined ? undefined : shaped(await decode(input), shape).blocks;
    return piece === undefined ? seam.end() : seam.next();
  };
  const cancel = (reason: string) => {
    left = reason;
    piece?.cancel(reason);
  };
  return { pull, cancel };
}

function throughSeam(seam: Seam, batch: readonly Block[]): readonly Block[] {
  return batch.flatMap((block) => seam.push(block));
}
