/** WAV files (RIFF, RF64): their head, also of those that are streamed and do not know their size. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { runMachine, type Source } from "../../../protocols/stream/source.ts";
import { AudioError } from "../audio_error.ts";
import { type ByteReader, chunked } from "../byte_reader.ts";
import { frameBytes, rawSampleDecoder, type RawSampleFormat, type SampleFormat } from "../raw_samples.ts";
import type { DecodedAudio } from "../samples.ts";

/** Bytes of chunks before the sound, at most. */
const LONGEST_HEAD = 1_048_576;
const PIECE = 16_384;
/** A size from here on is what streams write who do not know theirs: 0x7FFFFFFF, 0xFFFFFFFF, or a bit less. */
const UNKNOWN_FROM = 0x7fff_0000;

interface WavHead extends RawSampleFormat {
  readonly sampleRate: number;
  /** Bytes of sound; undefined where it goes on to the end. */
  readonly size: number | undefined;
}

/** Reads the head, up to the first sample. Throws an AudioFault. */
export async function decodeWav(feed: ByteReader): Promise<DecodedAudio> {
  const head = await headOf(feed);
  const bytes = chunked(limited(feed.rest(), head.size), PIECE);
  const { sampleRate, channels } = head;
  return { sampleRate, channels, blocks: runMachine(rawSampleDecoder(head), bytes) };
}

async function headOf(feed: ByteReader): Promise<WavHead> {
  const riff = await feed.peek(12);
  const kind = ascii(riff, 0);
  if ((kind !== "RIFF" && kind !== "RF64") || ascii(riff, 8) !== "WAVE") throw damaged("it has no RIFF head");
  await feed.skip(12);
  let format: Omit<WavHead, "size"> | undefined;
  for (let read = 12; read < LONGEST_HEAD;) {
    const chunk = await feed.peek(8);
    if (chunk.length < 8) throw damaged("it ends before its sound");
    const size = viewOf(chunk).getUint32(4, true);
    await feed.skip(8);
    if (ascii(chunk, 0) === "data") {
      if (format === undefined) throw damaged("its sound comes before its format");
      return { ...format, size: size === 0 || size >= UNKNOWN_FROM ? undefined : size };
    }
    // Chunks begin at even places.
    const whole = size + size % 2;
    if (read + whole > LONGEST_HEAD) break;
    if (ascii(chunk, 0) === "fmt ") format = formatOf(await feed.peek(Math.min(size, 40)));
    if (!await feed.skip(whole)) throw damaged("it ends before its sound");
    read += whole + 8;
  }
  throw damaged("there is no sound in its first mebibyte");
}

function formatOf(bytes: Uint8Array): Omit<WavHead, "size"> {
  if (bytes.length < 16) throw damaged("its format is cut off");
  const view = viewOf(bytes);
  const tag = view.getUint16(0, true);
  // The extensible form has the tag proper at the start of a GUID.
  const code = tag === 0xfffe && bytes.length >= 26 ? view.getUint16(24, true) : tag;
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const bits = view.getUint16(14, true);
  const form = formOf(code, bits);
  if (form === undefined) {
    throw new AudioError("unsupported", `Cannot read WAV: samples of type ${code} with ${bits} bits`);
  }
  if (channels < 1 || channels > 8) throw damaged(`it has ${channels} channels`);
  if (sampleRate < 1_000 || sampleRate > 384_000) throw damaged(`its sample rate is ${sampleRate}`);
  return { form, channels, sampleRate };
}

function formOf(code: number, bits: number): SampleFormat | undefined {
  const forms: Readonly<Record<string, SampleFormat>> = {
    "1/8": "u8",
    "1/16": "s16",
    "1/24": "s24",
    "1/32": "s32",
    "3/32": "f32",
    "3/64": "f64",
    "6/8": "alaw",
    "7/8": "mulaw",
  };
  return ownValue(forms, `${code}/${bits}`);
}

/** The first `size` bytes; what follows is drained. A file that is shorter than it says is damaged. */
function limited(source: Source<Uint8Array>, size: number | undefined): Source<Uint8Array> {
  if (size === undefined) return source;
  let left = size;
  const pull = async () => {
    const batch = await source.pull();
    if (batch === undefined) {
      if (left > 0) throw damaged(`it ends ${left} bytes before its end`);
      return undefined;
    }
    return batch.map((bytes) => {
      const own = bytes.subarray(0, left);
      left -= own.length;
      return own;
    });
  };
  return { pull, cancel: (reason) => source.cancel(reason) };
}

/** The 44 bytes before 16-bit samples of a stream whose length nobody knows yet. */
export function renderWavHeader(
  { sampleRate, channels }: Pick<DecodedAudio, "sampleRate" | "channels">,
): Uint8Array {
  const bytes = new Uint8Array(44);
  const view = viewOf(bytes);
  const block = frameBytes({ form: "s16", channels });
  new TextEncoder().encodeInto("RIFF\0\0\0\0WAVEfmt ", bytes);
  view.setUint32(4, 0xffff_ffff, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * block, true);
  view.setUint16(32, block, true);
  view.setUint16(34, 16, true);
  new TextEncoder().encodeInto("data", bytes.subarray(36));
  view.setUint32(40, 0xffff_ffff, true);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four letters. */
function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function damaged(what: string): AudioError {
  return new AudioError("damaged", `Cannot read WAV: ${what}`);
}
