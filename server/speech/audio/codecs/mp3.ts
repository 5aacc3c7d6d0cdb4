/** MP3 through the decoder of mpg123 and the encoder LAME, both in WebAssembly, loaded when first needed. */

import type { StateMachine } from "../../../protocols/stream/state_machine.ts";
import { runMachine } from "../../../protocols/stream/source.ts";
import { type DecodedAudio, type SampleBlock, splitBlock } from "../samples.ts";
import { asAudioError, AudioError } from "../audio_error.ts";
import { type ByteReader, chunked, concatBytes } from "../byte_reader.ts";
import { findFirstMp3Header, type Mp3Header, parseMp3Header } from "./mp3_header.ts";
import { encoderDelay, renderInfoFrame } from "./mp3_info_tag.ts";
import { onSourceEnd } from "../release_source.ts";

/** Half a second of 64 kbit/s. */
const PIECE = 4_096;

/** Reads up to the first frame. Throws an AudioFault. */
export async function decodeMp3(feed: ByteReader): Promise<DecodedAudio> {
  const head = await findFirstMp3Header(feed);
  const skip = encoderDelay(await feed.peek(head.size), head);
  const { MPEGDecoder } = await import("mpg123-decoder");
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const machine = decodeMachine(decoder, { head, skip });
  const blocks = runMachine(machine, chunked(feed.rest(), PIECE));
  const { sampleRate, channels } = head;
  return { sampleRate, channels, blocks: onSourceEnd(blocks, () => decoder.free()) };
}

interface Decoder {
  decode(bytes: Uint8Array): Decoded;
}

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
}

interface Decoding {
  /** Samples still to be skipped. */
  readonly skip: number;
  readonly heard: boolean;
}

interface Expected {
  readonly head: Mp3Header;
  readonly skip: number;
}

function decodeMachine(
  decoder: Decoder,
  { head, skip }: Expected,
): StateMachine<Decoding, Uint8Array, SampleBlock> {
  const step = (state: Decoding, bytes: Uint8Array): readonly [Decoding, readonly SampleBlock[]] => {
    const { channelData, samplesDecoded, sampleRate } = asAudioError("MP3", () => decoder.decode(bytes));
    if (samplesDecoded === 0) return [state, []];
    if (sampleRate !== head.sampleRate) {
      throw new AudioError("damaged", `Cannot read MP3: its sample rate changes to ${sampleRate}`);
    }
    // The decoder makes two channels of one.
    const block = channelData.slice(0, head.channels);
    const from = Math.min(state.skip, samplesDecoded);
    return [{ skip: state.skip - from, heard: true }, splitBlock(block, { from })];
  };
  const finish = ({ heard }: Decoding) => {
    if (!heard) throw new AudioError("damaged", "Cannot read MP3: no frame of it can be decoded");
    return [];
  };
  return { initial: { skip, heard: false }, step, finish };
}

/** Sample rates that MP3 has. */
const mp3SampleRates = [
  8_000,
  11_025,
  12_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
] as const;

type Mp3Rate = typeof mp3SampleRates[number];

/** The lowest rate of MP3 that keeps all of `sampleRate`; the highest where none does. */
export function mp3RateFor(sampleRate: number): Mp3Rate {
  return mp3SampleRates.find((rate) => rate >= sampleRate) ?? 48_000;
}

/** Kilobits a second for speech that loses nothing audible. */
function bitrateOf({ sampleRate, channels }: Mp3Shape): 32 | 64 | 96 | 128 | 160 {
  if (sampleRate < 16_000) return channels === 1 ? 32 : 64;
  if (sampleRate <= 24_000) return channels === 1 ? 64 : 128;
  return channels === 1 ? 96 : 160;
}

interface Mp3Shape {
  readonly sampleRate: Mp3Rate;
  readonly channels: 1 | 2;
}

interface Encoding {
  /** Bytes that wait for a whole first head. */
  readonly held: Uint8Array | undefined;
}

interface Encoder {
  configure(shape: Mp3Shape & { readonly bitrate: number; readonly outputSampleRate: Mp3Rate }): void;
  encode(block: SampleBlock): Uint8Array;
  finalize(): Uint8Array;
}

/** Encoders that nobody uses: to compile one takes longer than most sentences take to encode. */
const idle: Encoder[] = [];
const MOST_IDLE = 4;

interface Mp3Encoder {
  /** Blocks → MP3 of a constant bit rate, from the first frame on as it comes. */
  readonly machine: StateMachine<Encoding, SampleBlock, Uint8Array>;
  /** Must be called when the machine is not used any more. */
  readonly end: () => void;
}

export async function openMp3Encoder(shape: Mp3Shape): Promise<Mp3Encoder> {
  const { createMp3Encoder } = await import("wasm-media-encoders");
  const encoder: Encoder = idle.pop() ?? asEncoder(await createMp3Encoder());
  encoder.configure({ ...shape, bitrate: bitrateOf(shape), outputSampleRate: shape.sampleRate });
  const machine: StateMachine<Encoding, SampleBlock, Uint8Array> = {
    initial: { held: new Uint8Array(0) },
    step: (state, block) => written(state, encoder.encode(block)),
    finish: (state) => written(state, encoder.finalize())[1],
  };
  return { machine, end: () => idle.length < MOST_IDLE && idle.push(encoder) };
}

/** The package's types list each bit rate, which `bitrateOf` keeps to. */
function asEncoder(encoder: object): Encoder {
  return encoder as Encoder;
}

function written({ held }: Encoding, bytes: Uint8Array): readonly [Encoding, readonly Uint8Array[]] {
  // A copy: the encoder writes over its own memory at the next call.
  if (held === undefined) return [{ held }, bytes.length === 0 ? [] : [bytes.slice()]];
  const all = concatBytes([held, bytes.slice()]);
  const head = parseMp3Header(all, 0);
  return head === undefined ? [{ held: all }, []] : [{ held: undefined }, [renderInfoFrame(all, head), all]];
}
