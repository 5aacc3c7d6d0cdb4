/** Several chunks of audio as one: a long text is spoken in chunks, and the listener must not hear where. */

import type { Source } from "../../protocols/stream/source.ts";
import { type AudioInput, decode, withShape } from "./decode.ts";
import { type AudioTarget, encode, type EncodedAudioStream, targetShapeOf } from "./encode.ts";
import { AudioError } from "./audio_error.ts";
import { createSegmentJoint, type SegmentJoint } from "./segment_joint.ts";
import type { DecodedAudio, SampleBlock } from "./samples.ts";

export interface JoinOptions {
  /**
   * The next chunk, undefined after the last one; asked for when the one before is over. What it throws ends the
   * whole.
   */
  readonly next: () => Promise<AudioInput | undefined>;
  readonly to: AudioTarget;
}

/**
 * Waits for the first chunk's head and says what comes out: the chunks through one encoder, in the shape of the
 * first where the target leaves it open. Throws an AudioFault, now or at a pull.
 */
export async function joinSegments({ next, to }: JoinOptions): Promise<EncodedAudioStream> {
  const input = await next();
  if (input === undefined) throw new AudioError("empty", "Cannot read the audio: there is none");
  const first = await decode(input);
  const shape = targetShapeOf(first, to);
  return await encode({ ...shape, blocks: joinedBlocks({ first, next, shape }) }, to);
}

interface SegmentState {
  readonly first: DecodedAudio;
  readonly next: JoinOptions["next"];
  readonly shape: Pick<DecodedAudio, "sampleRate" | "channels">;
}

function joinedBlocks({ first, next, shape }: SegmentState): Source<SampleBlock> {
  const seam = createSegmentJoint(shape);
  let chunk: Source<SampleBlock> | undefined = withShape(first, shape).blocks;
  let left: string | undefined;
  const pull = async (): Promise<readonly SampleBlock[] | undefined> => {
    while (chunk !== undefined && left === undefined) {
      const batch = await chunk.pull();
      const out = batch === undefined ? await turn() : crossfade(seam, batch);
      if (out.length > 0) return out;
    }
    return undefined;
  };
  const turn = async () => {
    const input = await next();
    if (left !== undefined) input?.source.cancel(left);
    chunk = input === undefined || left !== undefined
      ? undefined
      : withShape(await decode(input), shape).blocks;
    return chunk === undefined ? seam.end() : seam.next();
  };
  const cancel = (reason: string) => {
    left = reason;
    chunk?.cancel(reason);
  };
  return { pull, cancel };
}

function crossfade(seam: SegmentJoint, batch: readonly SampleBlock[]): readonly SampleBlock[] {
  return batch.flatMap((block) => seam.push(block));
}
