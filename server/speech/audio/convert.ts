/**
 * Audio from one format into another as it flows: whatever a provider sends becomes the PCM or MP3 that was asked
 * for. Pull-based, and never more of a stream in memory than a few blocks.
 */

import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import type { Source } from "../../protocols/stream/source.ts";
import { detectCodec, SNIFF_BYTES } from "./detect_codec.ts";
import { decode } from "./decode.ts";
import { type AudioTarget, encode, type EncodedAudioStream, targetShapeOf } from "./encode.ts";
import { AudioError } from "./audio_error.ts";
import { byteReader } from "./byte_reader.ts";
import { findFirstMp3Header } from "./codecs/mp3_header.ts";

export type { AudioTarget, EncodedAudioStream } from "./encode.ts";
export { AudioError } from "./audio_error.ts";
export { type JoinOptions, joinSegments } from "./join_segments.ts";
export { splitText } from "./split_text.ts";

interface ConvertOptions {
  /** Format that the source is said to have. Its first bytes decide where they say otherwise. */
  readonly from: AudioFormat;
  readonly to: AudioTarget;
}

/**
 * Waits for the head of the audio (for raw samples, for their first bytes) and says what comes out. Where nothing
 * has to change the bytes pass as they are. Throws an AudioFault, now or at a pull, for audio that cannot be
 * read; an error of the source passes as it is. The source is cancelled with either.
 */
export async function convert(
  source: Source<Uint8Array>,
  { from, to }: ConvertOptions,
): Promise<EncodedAudioStream> {
  const feed = byteReader(source);
  try {
    const first = await feed.peek(SNIFF_BYTES);
    if (first.length === 0) throw new AudioError("empty", "Cannot read the audio: there is none");
    const codec = detectCodec(first, from.type);
    if (
      codec === "pcm" && from.type === "pcm" && to.codec === "pcm" && (from.encoding ?? "s16le") === "s16le"
    ) {
      const { sampleRate, channels } = from;
      if (isSameFormat(from, to)) return { sampleRate, channels, source: feed.rest() };
    }
    if (codec === "mp3" && to.codec === "mp3") {
      const { sampleRate, channels } = await findFirstMp3Header(feed);
      const shape = { sampleRate, channels };
      if (isSameFormat(shape, to)) return { ...shape, source: feed.rest() };
    }
  } catch (error) {
    source.cancel("the audio cannot be read");
    throw error;
  }
  return await encode(await decode({ source: feed.rest(), from }), to);
}

function isSameFormat(shape: Pick<EncodedAudioStream, "sampleRate" | "channels">, to: AudioTarget): boolean {
  const wanted = targetShapeOf(shape, to);
  return wanted.sampleRate === shape.sampleRate && wanted.channels === shape.channels;
}
