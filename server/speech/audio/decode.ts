/** Bytes → sound, whatever the codec. */

import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import { runMachine, type Source } from "../../protocols/stream/source.ts";
import { detectCodec, SNIFF_BYTES, unsupportedCodec } from "./detect_codec.ts";
import { AudioError } from "./audio_error.ts";
import { type ByteReader, byteReader, chunked } from "./byte_reader.ts";
import { channelMixer } from "./mix_channels.ts";
import { decodeMp3 } from "./codecs/mp3.ts";
import { decodeOpus } from "./codecs/opus.ts";
import { onSourceEnd } from "./release_source.ts";
import { resampler } from "./resample.ts";
import { rawSampleDecoder } from "./raw_samples.ts";
import type { DecodedAudio, SampleBlock } from "./samples.ts";
import { decodeWav } from "./codecs/wav.ts";

const PIECE = 8_192;

/** Audio as it comes, and what it is said to be. */
export interface AudioInput {
  readonly source: Source<Uint8Array>;
  readonly from: AudioFormat;
}

/**
 * Reads the head and no more than it has to. Throws an AudioFault, now or at a pull; the source is cancelled
 * then. An error of the source passes as it is.
 */
export async function decode({ source, from }: AudioInput): Promise<DecodedAudio> {
  try {
    const feed = byteReader(source);
    const sound = await decodeWith(feed, from);
    const leave = () => source.cancel("the audio is over");
    return { ...sound, blocks: onSourceEnd(withRate(sound.blocks), leave) };
  } catch (error) {
    source.cancel("the audio cannot be read");
    throw error;
  }
}

async function decodeWith(feed: ByteReader, from: AudioFormat): Promise<DecodedAudio> {
  const codec = detectCodec(await feed.peek(SNIFF_BYTES), from.type);
  switch (codec) {
    case "pcm":
      return rawSound(feed, from);
    case "wav":
      return await decodeWav(feed);
    case "mp3":
      return await decodeMp3(feed);
    case "opus":
      return await decodeOpus(feed);
    case "aac":
    case "flac":
      throw unsupportedCodec(codec);
    default:
      return codec satisfies never;
  }
}

const rawForms = { s16le: "s16", f32le: "f32", mulaw: "mulaw", alaw: "alaw" } as const;

function rawSound(feed: ByteReader, from: AudioFormat): DecodedAudio {
  if (from.type !== "pcm") throw new AudioError("damaged", `Cannot read ${from.type}: it has no head`);
  const { sampleRate, channels, encoding = "s16le" } = from;
  const machine = rawSampleDecoder({ form: rawForms[encoding], channels });
  return { sampleRate, channels, blocks: runMachine(machine, chunked(feed.rest(), PIECE)) };
}

/** Audio without a sample is no answer to anything. */
function withRate(blocks: Source<SampleBlock>): Source<SampleBlock> {
  let any = false;
  const pull = async () => {
    const batch = await blocks.pull();
    any ||= batch !== undefined && batch.length > 0;
    if (batch === undefined && !any) {
      throw new AudioError("empty", "Cannot read the audio: it has no samples");
    }
    return batch;
  };
  return { pull, cancel: (reason) => blocks.cancel(reason) };
}

/** The same sound at another rate and with another number of channels; itself where nothing changes. */
export function withShape(
  sound: DecodedAudio,
  shape: Pick<DecodedAudio, "sampleRate" | "channels">,
): DecodedAudio {
  let { blocks } = sound;
  // The fewer channels, the less there is to filter.
  const fewer = Math.min(sound.channels, shape.channels);
  if (fewer !== sound.channels) blocks = runMachine(channelMixer(fewer), blocks);
  if (sound.sampleRate !== shape.sampleRate) {
    const rates = { from: sound.sampleRate, to: shape.sampleRate };
    blocks = runMachine(resampler(rates, fewer), blocks);
  }
  if (fewer !== shape.channels) blocks = runMachine(channelMixer(shape.channels), blocks);
  return { ...shape, blocks };
}
