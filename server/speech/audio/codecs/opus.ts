/** Opus in Ogg (RFC 7845) through libopus in WebAssembly, loaded when first needed. */

import type { Machine } from "../../../stream/state_machine.ts";
import { prepend, run, type Source } from "../../../stream/source.ts";
import { chopped } from "../chop.ts";
import { AudioFault, readable } from "../audio_error.ts";
import { type Feed, inPieces } from "../byte_reader.ts";
import { type Packet, packetsMachine } from "./ogg.ts";
import { withEnd } from "../release_source.ts";
import { type Block, lengthOf, type Sound } from "../samples.ts";

const PIECE = 4_096;
/** Opus counts in samples of this rate, whatever was recorded. */
const RATE = 48_000;

interface OpusHead {
  readonly channels: 1 | 2;
  /** Samples at the start that are not sound. */
  readonly preSkip: number;
}

/** Reads up to the first packet of sound. Throws an AudioFault. */
export async function readOpus(feed: Feed): Promise<Sound> {
  const packets = run(packetsMachine, inPieces(feed.rest(), PIECE));
  const { head, rest } = await opened(packets);
  const { OpusDecoder } = await import("opus-decoder");
  const decoder = new OpusDecoder({
    channels: head.channels,
    streamCount: 1,
    coupledStreamCount: head.channels - 1,
    channelMappingTable: head.channels === 1 ? [0] : [0, 1],
  });
  await decoder.ready;
  const blocks = run(decodeMachine(decoder, head), rest);
  return { sampleRate: RATE, channels: head.channels, blocks: withEnd(blocks, () => decoder.free()) };
}

interface Opened {
  readonly head: OpusHead;
  /** Without the two head packets. */
  readonly rest: Source<Packet>;
}

async function opened(packets: Source<Packet>): Promise<Opened> {
  let first: readonly Packet[] = [];
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
    throw new AudioFault("unsupported", "Cannot read Ogg: its stream is no Opus");
  }
  const [channels = 0, low = 0, high = 0] = bytes.subarray(9, 12);
  if (channels !== 1 && channels !== 2) {
    throw new AudioFault("unsupported", `Cannot read Opus: it has ${channels} channels`);
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

function decodeMachine(decoder: Decoder, { preSkip }: OpusHead): Machine<Decoding, Packet, Block> {
  return {
    initial: { count: 0 },
    step: ({ count }, { bytes, granule, last }) => {
      const { channelData, samplesDecoded } = readable("Opus", () => decoder.decodeFrame(bytes));
      if (samplesDecoded === 0) throw damaged("a packet cannot be decoded");
      const from = Math.min(samplesDecoded, Math.max(0, preSkip - count));
      const end = last && granule > 0 ? granule - count : samplesDecoded;
      const to = Math.max(from, Math.min(lengthOf(channelData), end));
      return [{ count: count + samplesDecoded }, chopped(channelData, { from, to })];
    },
    finish: ({ count }) => {
      if (count === 0) throw damaged("there is no sound in it");
      return [];
    },
  };
}

function damaged(what: string): AudioFault {
  return new AudioFault("damaged", `Cannot read Opus: ${what}`);
}
