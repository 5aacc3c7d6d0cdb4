/**
 * Sample rates into other sample rates: a polyphase filter whose kernel is a sinc under a Kaiser window. It keeps
 * what is below 84 % of half the lower rate and has 80 dB less of what would fold back.
 */

import type { StateMachine } from "../../protocols/stream/state_machine.ts";
import { MAX_BLOCK_SAMPLES, type SampleBlock } from "./samples.ts";

interface SampleRates {
  /** Samples a second. */
  readonly from: number;
  readonly to: number;
}

/** Zero crossings on either side of the kernel's middle. */
const CROSSINGS = 32;
/** Cutoff as a part of half the lower rate: the middle of the filter's slope. */
const CUTOFF = 0.92;
const KAISER_BETA = 7.86;
/** Phases of a kernel; a ratio that needs more lies between two of them. */
const MOST_PHASES = 640;

interface Kernel {
  /** Input samples on either side. */
  readonly half: number;
  readonly phases: number;
  /** A row of `2 * half` weights for each phase, and one more. */
  readonly rows: readonly Float32Array[];
  /** Whether every output sample meets a row. */
  readonly exact: boolean;
}

interface Position {
  /** The last input samples of each channel, from `start` on. */
  readonly held: readonly Float32Array[];
  /** The number of the first held sample; below zero are the zeros before the beginning. */
  readonly start: number;
  /** The number of the next output sample. */
  readonly next: number;
}

/** The same sound at another rate: as long as it was, to within a sample, and not a sample late. */
export function resampler(
  rates: SampleRates,
  channels: number,
): StateMachine<Position, SampleBlock, SampleBlock> {
  const divisor = gcd(rates.from, rates.to);
  const ratio: SampleRates = { from: rates.from / divisor, to: rates.to / divisor };
  const kernel = kernelOf(ratio);
  const initial: Position = {
    held: Array.from({ length: channels }, () => new Float32Array(kernel.half)),
    start: -kernel.half,
    next: 0,
  };
  const step = (position: Position, block: SampleBlock): readonly [Position, readonly SampleBlock[]] => {
    const held = position.held.map((samples, channel) => joined(samples, block[channel]));
    const end = position.start + (held[0]?.length ?? 0);
    // The first input number that a kernel around it cannot be given any more.
    const reach = end - kernel.half;
    return advance({ ...position, held }, { ratio, kernel, until: ceilRatio(reach, ratio) });
  };
  const finish = (position: Position) => {
    const silence = Array.from({ length: channels }, () => new Float32Array(kernel.half + 1));
    const held = position.held.map((samples, channel) => joined(samples, silence[channel]));
    const total = position.start + (position.held[0]?.length ?? 0);
    return advance({ ...position, held }, { ratio, kernel, until: ceilRatio(total, ratio) })[1];
  };
  return { initial, step, finish };
}

/** The number of output samples that begin before the input sample `count`. */
function ceilRatio(count: number, { from, to }: SampleRates): number {
  return Math.max(0, Math.ceil(count * to / from));
}

interface Advance {
  readonly ratio: SampleRates;
  readonly kernel: Kernel;
  /** The number of the first output sample that is not made. */
  readonly until: number;
}

function advance(position: Position, work: Advance): readonly [Position, readonly SampleBlock[]] {
  const blocks: SampleBlock[] = [];
  let next = position.next;
  while (next < work.until) {
    const count = Math.min(work.until - next, MAX_BLOCK_SAMPLES);
    const span = { first: next, count, start: position.start };
    blocks.push(position.held.map((samples) => filtered(samples, { ...work, ...span })));
    next += count;
  }
  const wanted = Math.floor(next * work.ratio.from / work.ratio.to) - work.kernel.half;
  const drop = Math.max(0, Math.min(wanted - position.start, position.held[0]?.length ?? 0));
  const held = position.held.map((samples) => samples.slice(drop));
  return [{ held, start: position.start + drop, next }, blocks];
}

interface Span extends Advance {
  readonly first: number;
  readonly count: number;
  readonly start: number;
}

function filtered(input: Float32Array, { ratio, kernel, first, count, start }: Span): Float32Array {
  const out = new Float32Array(count);
  for (let at = 0; at < count; at++) {
    const scaled = (first + at) * ratio.from;
    const whole = Math.floor(scaled / ratio.to);
    const place = (scaled - whole * ratio.to) / ratio.to * kernel.phases;
    const phase = kernel.exact ? Math.round(place) : Math.floor(place);
    const begin = whole - kernel.half + 1 - start;
    const value = dot(input, begin, kernel.rows[phase]);
    if (kernel.exact) {
      out[at] = value;
      continue;
    }
    const weight = place - phase;
    out[at] = value * (1 - weight) + dot(input, begin, kernel.rows[phase + 1]) * weight;
  }
  return out;
}

// deno-lint-ignore tollgate/sizes -- the innermost loop: an object a sample would cost more than its sums
function dot(input: Float32Array, begin: number, row: Float32Array | undefined): number {
  if (row === undefined) return 0;
  // Two sums, because an addition need not wait for the one before then; rows are of even length.
  let [even, odd] = [0, 0];
  for (let at = 0; at < row.length; at += 2) {
    even += asSample(input[begin + at]) * asSample(row[at]);
    odd += asSample(input[begin + at + 1]) * asSample(row[at + 1]);
  }
  return even + odd;
}

/** Within the innermost loop nothing is looked up that is not there; asking would halve its speed. */
function asSample(value: number | undefined): number {
  return value as number;
}

const kernels = new Map<string, Kernel>();
const MOST_KERNELS = 16;

/** Kernels are kept: there are a handful of ratios, and every stream of one shares its table. */
function kernelOf(ratio: SampleRates): Kernel {
  const name = `${ratio.from}:${ratio.to}`;
  const kept = kernels.get(name);
  if (kept !== undefined) return kept;
  const made = makeKernel(ratio);
  if (kernels.size >= MOST_KERNELS) kernels.clear();
  kernels.set(name, made);
  return made;
}

function makeKernel({ from, to }: SampleRates): Kernel {
  const scale = CUTOFF * Math.min(1, to / from);
  const half = Math.ceil(CROSSINGS / Math.min(1, to / from));
  const exact = to <= MOST_PHASES;
  const phases = exact ? to : MOST_PHASES;
  const rows = Array.from({ length: phases + 1 }, (_, phase) => {
    const row = Float64Array.from({ length: 2 * half }, (_, tap) => {
      const distance = tap - half + 1 - phase / phases;
      return scale * sinc(distance * scale) * kaiser(distance / half);
    });
    // Every phase lets a constant through unchanged: otherwise silence with an offset would hum.
    const sum = row.reduce((total, weight) => total + weight, 0);
    return Float32Array.from(row, (weight) => weight / sum);
  });
  return { half, phases, rows, exact };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** The modified Bessel function of the first kind and order zero, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function joined(a: Float32Array, b: Float32Array | undefined): Float32Array {
  if (b === undefined) return a;
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
