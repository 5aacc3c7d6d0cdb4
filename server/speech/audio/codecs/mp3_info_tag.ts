/**
 * The tag frame that LAME puts before its sound ("Info"): decoders learn from it how many samples at the start are
 * the encoder's delay. A stream has no count of frames in it, because nobody knows it yet.
 */

import type { Mp3Header } from "./mp3_header.ts";

/** Samples that LAME puts before the first one. */
const LAME_DELAY_SAMPLES = 576;
/** Samples by which every decoder is late. */
const DECODER_DELAY_SAMPLES = 529;

const LAME_PART = 36;

/** A tag frame for a stream whose first frame begins with `head`. */
export function renderInfoFrame(first: Uint8Array, head: Mp3Header): Uint8Array {
  const padding = (first[2] ?? 0) >> 1 & 1;
  const frame = new Uint8Array(head.size - padding);
  frame.set(first.subarray(0, 4));
  frame[2] = (frame[2] ?? 0) & ~2;
  frame[3] = (frame[3] ?? 0) & ~0x30;
  const tag = frame.subarray(head.tagAt);
  // No count of frames, no size, no table: the flags stay zero.
  new TextEncoder().encodeInto("Info\0\0\0\0LAME3.100\x01", tag);
  tag.set([LAME_DELAY_SAMPLES >> 4, (LAME_DELAY_SAMPLES & 15) << 4, 0], 8 + 21);
  return frame;
}

/**
 * Samples to skip at the start of the decoded sound, beyond what the decoder skips by itself; it does so only
 * where the tag counts frames.
 */
export function encoderDelay(frame: Uint8Array, head: Mp3Header): number {
  const tag = frame.subarray(head.tagAt, head.size);
  const name = String.fromCharCode(...tag.subarray(0, 4));
  if ((name !== "Info" && name !== "Xing") || tag.length < 8 + LAME_PART) return 0;
  const flags = tag[7] ?? 0;
  if (flags !== 0) return 0;
  const [high = 0, low = 0] = tag.subarray(8 + 21);
  const delay = high << 4 | low >> 4;
  return delay === 0 ? 0 : delay + DECODER_DELAY_SAMPLES;
}
