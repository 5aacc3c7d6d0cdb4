/** Raw samples, interleaved: bytes → blocks. */

import type { StateMachine } from "../../protocols/stream/state_machine.ts";
import { concatBytes } from "./byte_reader.ts";
import type { SampleBlock } from "./samples.ts";

/** Little-endian integers and floats by their bits; the telephone's two curves. 8-bit integers have no sign. */
export type SampleFormat = "u8" | "s16" | "s24" | "s32" | "f32" | "f64" | "mulaw" | "alaw";

type Read = (view: DataView, at: number) => number;

const forms: { readonly [F in SampleFormat]: { readonly bytes: number; readonly read: Read } } = {
  u8: { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) / 128 },
  s16: { bytes: 2, read: (view, at) => view.getInt16(at, true) / 32_768 },
  s24: {
    bytes: 3,
    read: (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608,
  },
  s32: { bytes: 4, read: (view, at) => view.getInt32(at, true) / 2_147_483_648 },
  f32: { bytes: 4, read: (view, at) => bounded(view.getFloat32(at, true)) },
  f64: { bytes: 8, read: (view, at) => bounded(view.getFloat64(at, true)) },
  mulaw: { bytes: 1, read: (view, at) => mulaw(view.getUint8(at)) },
  alaw: { bytes: 1, read: (view, at) => alaw(view.getUint8(at)) },
};

/** Damaged floats are silence, not a NaN that spreads through every filter behind. */
function bounded(value: number): number {
  return Number.isFinite(value) ? Math.max(-8, Math.min(8, value)) : 0;
}

/** ITU-T G.711, mu-law. */
function mulaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84 << (code >> 4 & 7)) - 0x84;
  return (code & 0x80 ? -magnitude : magnitude) / 32_768;
}

/** ITU-T G.711, A-law. */
function alaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = code >> 4 & 7;
  const mantissa = (code & 0x0f) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : mantissa + 0x108 << exponent - 1;
  return (code & 0x80 ? magnitude : -magnitude) / 32_768;
}

export interface RawSampleFormat {
  readonly form: SampleFormat;
  readonly channels: number;
}

/** Bytes of one sample of all channels. */
export function frameBytes({ form, channels }: RawSampleFormat): number {
  return forms[form].bytes * channels;
}

/** A frame that the end cuts off is dropped. */
export function rawSampleDecoder(format: RawSampleFormat): StateMachine<Uint8Array, Uint8Array, SampleBlock> {
  const size = frameBytes(format);
  const step = (left: Uint8Array, bytes: Uint8Array): readonly [Uint8Array, readonly SampleBlock[]] => {
    const all = concatBytes([left, bytes]);
    const frames = Math.floor(all.length / size);
    // A copy, because the bytes' owner may write over them once the step is done.
    const rest = all.slice(frames * size);
    return frames === 0 ? [rest, []] : [rest, [blockOf(all, format)]];
  };
  return { initial: new Uint8Array(0), step };
}

function blockOf(bytes: Uint8Array, { form, channels }: RawSampleFormat): SampleBlock {
  const { bytes: width, read } = forms[form];
  const frames = Math.floor(bytes.length / (width * channels));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames);
    for (let at = 0; at < frames; at++) samples[at] = read(view, (at * channels + channel) * width);
    return samples;
  });
}
