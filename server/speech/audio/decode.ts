/** Bytes → sound, whatever the codec. */

import type { AudioFormat } from "../../canonical/speech.ts";
import { run, type Source } from "../../stream/source.ts";
import { codecOf, SNIFFED, unsupported } from "./detect_codec.ts";
import { AudioFault } from "./audio_error.ts";
import { type Feed, feedOf, inPieces } from "./byte_reader.ts";
import { mixMachine } from "./mix_channels.ts";
import { readMp3 } from "./codecs/mp3.ts";
import { readOpus } from "./codecs/opus.ts";
import { withEnd } from "./release_source.ts";
import { resampleMachine } from "./resample.ts";
import { samplesMachine } from "./raw_samples.ts";
import type { Block, Sound } from "./samples.ts";
import { readWav } from "./codecs/wav.ts";

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
export async function decode({ source, from }: AudioInput): Promise<Sound> {
  try {
    const feed = feedOf(source);
    const sound = await soundOf(feed, from);
    const leave = () => source.cancel("the audio is over");
    return { ...sound, blocks: withEnd(heard(sound.blocks), leave) };
  } catch (error) {
    source.cancel("the audio cannot be read");
    throw error;
  }
}

async function soundOf(feed: Feed, from: AudioFormat): Promise<Sound> {
  const codec = codecOf(await feed.peek(SNIFFED), from.type);
  switch (codec) {
    case "pcm":
      return rawSound(feed, from);
    case "wav":
      return await readWav(feed);
    case "mp3":
      return await readMp3(feed);
    case "opus":
      return await readOpus(feed);
    case "aac":
    case "flac":
      throw unsupported(codec);
    default:
      return codec satisfies never;
  }
}

const rawForms = { s16le: "s16", f32le: "f32", mulaw: "mulaw", alaw: "alaw" } as const;

function rawSound(feed: Feed, from: AudioFormat): Sound {
  if (from.type !== "pcm") throw new AudioFault("damaged", `Cannot read ${from.type}: it has no head`);
  const { sampleRate, channels, encoding = "s16le" } = from;
  const machine = samplesMachine({ form: rawForms[encoding], channels });
  return { sampleRate, channels, blocks: run(machine, inPieces(feed.rest(), PIECE)) };
}

/** Audio without a sample is no answer to anything. */
function heard(blocks: Source<Block>): Source<Block> {
  let any = false;
  const pull = async () => {
    const batch = await blocks.pull();
    any ||= batch !== undefined && batch.length > 0;
    if (batch === undefined && !any) {
      throw new AudioFault("empty", "Cannot read the audio: it has no samples");
    }
    return batch;
  };
  return { pull, cancel: (reason) => blocks.cancel(reason) };
}

/** The same sound at another rate and with another number of channels; itself where nothing changes. */
export function shaped(sound: Sound, shape: Pick<Sound, "sampleRate" | "channels">): Sound {
  let { blocks } = sound;
  // The fewer channels, the less there is to filter.
  const fewer = Math.min(sound.channels, shape.channels);
  if (fewer !== sound.channels) blocks = run(mixMachine(fewer), blocks);
  if (sound.sampleRate !== shape.sampleRate) {
    const rates = { from: sound.sampleRate, to: shape.sampleRate };
    blocks = run(resampleMachine(rates, fewer), blocks);
  }
  if (fewer !== shape.channels) blocks = run(mixMachine(shape.channels), blocks);
  return { ...shape, blocks };
}
