/** Where one chunk of speech ends and the next begins: no click, and no longer a silence than a breath. */

import { blockLength, type SampleBlock } from "./samples.ts";

/** Level below which audio is silence: 50 dB below the loudest that there can be. */
const SILENCE = 0.003;
/** Seconds of silence that stay at the end of a chunk, and at the beginning of the next one. */
const LONGEST_TAIL = 0.25;
const LONGEST_LEAD = 0.06;
/** Seconds of silence that are kept back, because a chunk may end with them, at most. */
const FARTHEST = 2;
/** Seconds of the slope at a seam. */
const SLOPE = 0.005;

export interface SegmentJoint {
  /** Takes a block and returns what can go on of its chunk; its last few milliseconds, and silence, are kept back. */
  readonly push: (block: SampleBlock) => readonly SampleBlock[];
  /** The chunk is over and another one follows. */
  readonly next: () => readonly SampleBlock[];
  /** That was the last chunk. */
  readonly end: () => readonly SampleBlock[];
}

/** Mends chunks of one shape. The first one's beginning and the last one's end stay as they are. */
export function createSegmentJoint({ sampleRate }: { readonly sampleRate: number }): SegmentJoint {
  const samples = (seconds: number) => Math.round(seconds * sampleRate);
  const slope = samples(SLOPE);
  let held: SampleBlock = [];
  let beginning = false;
  let sounded = false;
  const begun = (strip: SampleBlock, first: number): SampleBlock => {
    beginning = false;
    return fadeIn(from(strip, Math.max(0, first - samples(LONGEST_LEAD))), slope);
  };
  const push = (block: SampleBlock) => {
    let strip = joined(held, block);
    if (beginning) {
      const first = firstSound(strip);
      if (first === undefined) {
        held = from(strip, Math.max(0, blockLength(strip) - samples(LONGEST_LEAD)));
        return [];
      }
      strip = begun(strip, first);
    }
    const sound = endOfSound(strip);
    sounded ||= sound > 0;
    // Silence before the first sound of all is nobody's end, and the first byte should not wait for it.
    const quiet = sounded ? Math.min(blockLength(strip) - sound, samples(FARTHEST)) : 0;
    const going = Math.max(0, blockLength(strip) - Math.max(quiet, slope));
    held = from(strip, going);
    return going === 0 ? [] : [upTo(strip, going)];
  };
  const next = () => {
    const strip = beginning ? begun(held, firstSound(held) ?? blockLength(held)) : held;
    const kept = upTo(strip, Math.min(blockLength(strip), endOfSound(strip) + samples(LONGEST_TAIL)));
    held = [];
    beginning = true;
    return blockLength(kept) === 0 ? [] : [fadeOut(kept, slope)];
  };
  const end = () => blockLength(held) === 0 ? [] : [held];
  return { push, next, end };
}

function joined(a: SampleBlock, b: SampleBlock): SampleBlock {
  if (blockLength(a) === 0) return b;
  return b.map((samples, channel) => {
    const before = a[channel] ?? new Float32Array(blockLength(a));
    const both = new Float32Array(before.length + samples.length);
    both.set(before);
    both.set(samples, before.length);
    return both;
  });
}

const from = (block: SampleBlock, at: number): SampleBlock => block.map((samples) => samples.subarray(at));
const upTo = (block: SampleBlock, at: number): SampleBlock => block.map((samples) => samples.subarray(0, at));

function isLoud(value: number): boolean {
  return Math.abs(value) > SILENCE;
}

function firstSound(block: SampleBlock): number | undefined {
  const firsts = block.map((samples) => samples.findIndex(isLoud)).filter((at) => at >= 0);
  return firsts.length === 0 ? undefined : Math.min(...firsts);
}

/** The number of samples up to the last loud one. */
function endOfSound(block: SampleBlock): number {
  return Math.max(0, ...block.map((samples) => samples.findLastIndex(isLoud) + 1));
}

/** Half a period of a raised cosine, from 0 to 1 at `at` of `length`. */
function weight(at: number, length: number): number {
  return at >= length ? 1 : 0.5 - 0.5 * Math.cos(Math.PI * (at + 0.5) / length);
}

function fadeIn(block: SampleBlock, slope: number): SampleBlock {
  return block.map((samples) => samples.map((value, at) => value * weight(at, slope)));
}

function fadeOut(block: SampleBlock, slope: number): SampleBlock {
  return block.map((samples) => samples.map((value, at) => value * weight(samples.length - 1 - at, slope)));
}
