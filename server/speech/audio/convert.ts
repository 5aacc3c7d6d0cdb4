/**
 * Audio from one format into another as it flows: whatever a provider sends becomes the PCM or MP3 that was asked
 * for. Pull-based, and never more of a stream in memory than a few blocks.
 */

import type { AudioFormat } from "../../canonical/speech.ts";
import type { Source } from "../../stream/source.ts";
import { codecOf, SNIFFED } from "./detect_codec.ts";
import { decode } from "./decode.ts";
import { type AudioTarget, type Converted, encode, targetShape } from "./encode.ts";
import { AudioFault } from "./audio_error.ts";
import { feedOf } from "./byte_reader.ts";
import { firstHead } from "./codecs/mp3_header.ts";

export type { AudioInput } from "./decode.ts";
export type { AudioTarget, Converted } from "./encode.ts";
export { AudioFault } from "./audio_error.ts";
export { join, type Joining } from "./join_segments.ts";
export { splitText } from "./split_text.ts";

export interface Conversion {
  /** What the source is said to be. Its first bytes decide where they say otherwise. */
  readonly from: AudioFormat;
  readonly to: AudioTarget;
}

/**
 * Waits for the head of the audio (for raw samples, for their first bytes) and says what comes out. Where nothing
 * has to change the bytes pass as they are. Throws an AudioFault, now or at a pull, for audio that cannot be
 * read; an error of the source passes as it is. The source is cancelled with either.
 */
export async function convert(source: Source<Uint8Array>, { from, to }: Conversion): Promise<Converted> {
  const feed = feedOf(source);
  try {
    const first = await feed.peek(SNIFFED);
    if (first.length === 0) throw new AudioFault("empty", "Cannot read the audio: there is none");
    const codec = codecOf(first, from.type);
    if (
      codec === "pcm" && from.type === "pcm" && to.codec === "pcm" && (from.encoding ?? "s16le") === "s16le"
    ) {
      const { sampleRate, channels } = from;
      if (isSame(from, to)) return { sampleRate, channels, source: feed.rest() };
    }
    if (codec === "mp3" && to.codec === "mp3") {
      const { sampleRate, channels } = await firstHead(feed);
      const shape = { sampleRate, channels };
      if (isSame(shape, to)) return { ...shape, source: feed.rest() };
    }
  } catch (error) {
    source.cancel("the audio cannot be read");
    throw error;
  }
  return await encode(await decode({ source: feed.rest(), from }), to);
}

function isSame(shape: Pick<Converted, "sampleRate" | "channels">, to: AudioTarget): boolean {
  const wanted = targetShape(shape, to);
  return wanted.sampleRate === shape.sampleRate && wanted.channels === shape.channels;
}
