/** Opus in Ogg (RFC 7845) through libopus in WebAssembly, loaded when first needed. */

import type { StateMachine } from "../../../protocols/stream/state_machine.ts";
import { prepend, runMachine, type Source } from "../../../protocols/stream/source.ts";
import { blockLength, type DecodedAudio, type SampleBlock, splitBlock } from "../samples.ts";
import { asAudioError, AudioError } from "../audio_error.ts";
import { type ByteReader, chunked } from "../byte_reader.ts";
import { type OggPacket, oggPackets } from "./ogg.ts";
import { onSourceEnd } from "../release_source.ts";

const PIECE = 4_096;
/** Opus counts in samples of this rate, whatever was recorded. */
const RATE = 48_000;

interface OpusHead {
  readonly channels: 1 | 2;
  /** Samples at the start that are not sound. */
  readonly preSkip: number;
}

/** Reads up to the first packet of sound. Throws an AudioFault. */
export async function decodeOpus(feed: ByteReader): Promise<DecodedAudio> {
  const packets = runMachine(oggPackets, chunked(feed.rest(), PIECE));
  const { head, rest } = await opened(packets);
  const { OpusDecoder } = await import("opus-decoder");
  const decoder = new OpusDecoder({
    channels: head.channels,
    streamCount: 1,
    coupledStreamCount: head.channels - 1,
    channelMappingTable: head.channels === 1 ? [0] : [0, 1],
  });
  await decoder.ready;
  const blocks = runMachine(decodeMachine(decoder, head), rest);
  return { sampleRate: RATE, channels: head.channels, blocks: onSourceEnd(blocks, () => decoder.free()) };
}

interface Opened {
  readonly head: OpusHead;
  /** Without the two head packets. */
  readonly rest: Source<OggPacket>;
}

async function opened(packets: Source<OggPacket>): Promise<Opened> {
  let first: readonly OggPacket[] = [];
  while (first.length < 2) {
    const batch = await packets.pull();
    if (batch === undefined) throw damaged("it ends before its sound");
    first = [...first, ...batch];
    if (first[0] !== undefined) headOf(first[0].bytes);
  }
  const [head, , ...sound] = first;
  if (head === undefined) throw damaged("it has no head");
  return { head: headOf(head.bytes), rest: prepend(sound.length > 0 ? [sound] : [], packets) };
}

function headOf(bytes: Uint8Array): OpusHead {
  const name = String.fromCharCode(...bytes.subarray(0, 8));
  if (name !== "OpusHead" || bytes.length < 19) {
    throw new AudioError("unsupported", "Cannot read Ogg: its stream is no Opus");
  }
  const [channels = 0, low = 0, high = 0] = bytes.subarray(9, 12);
  if (channels !== 1 && channels !== 2) {
    throw new AudioError("unsupported", `Cannot read Opus: it has ${channels} channels`);
  }
  return { channels, preSkip: low | high << 8 };
}

interface Decoder {
  decodeFrame(packet: Uint8Array): Decoded;
}

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
}

interface Decoding {
  /** Samples decoded so far, the skipped ones included. */
  readonly count: number;
}

function decodeMachine(
  decoder: Decoder,
  { preSkip }: OpusHead,
): StateMachine<Decoding, OggPacket, SampleBlock> {
  return {
    initial: { count: 0 },
    step: ({ count }, { bytes, granule, last }) => {
      const { channelData, samplesDecoded } = asAudioError("Opus", () => decoder.decodeFrame(bytes));
      if (samplesDecoded === 0) throw damaged("a packet cannot be decoded");
      const from = Math.min(samplesDecoded, Math.max(0, preSkip - count));
      const end = last && granule > 0 ? granule - count : samplesDecoded;
      const to = Math.max(from, Math.min(blockLength(channelData), end));
      return [{ count: count + samplesDecoded }, splitBlock(channelData, { from, to })];
    },
    finish: ({ count }) => {
      if (count === 0) throw damaged("there is no sound in it");
      return [];
    },
  };
}

function damaged(what: string): AudioError {
  return new AudioError("damaged", `Cannot read Opus: ${what}`);
}
