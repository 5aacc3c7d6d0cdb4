/**
 * Faster or slower speech at the same pitch: overlapping windows are laid closer together or farther apart, each
 * where it fits best what is there already (WSOLA).
 */

/** Seconds of a window, and of how far it may be moved to fit. */
const WINDOW = 0.03;
const TOLERANCE = 0.01;

interface TimeStretchOptions {
  /** 2 makes the sound half as long. */
  readonly speed: number;
  readonly sampleRate: number;
}

/** The whole of a sound of one channel; meant for a sentence at a time. */
export function timeStretch(input: Float32Array, { speed, sampleRate }: TimeStretchOptions): Float32Array {
  const hop = Math.round(WINDOW * sampleRate / 2);
  if (speed === 1 || input.length < 4 * hop) return input;
  const reach = Math.round(TOLERANCE * sampleRate);
  const length = Math.round(input.length / speed);
  const out = new Float32Array(length + 2 * hop);
  const window = Float32Array.from({ length: 2 * hop }, (_, at) => 0.5 - 0.5 * Math.cos(Math.PI * at / hop));
  let last = -hop;
  for (let to = -hop; to < length; to += hop) {
    const wanted = Math.round((to + hop) * speed) - hop;
    // What would come next if nothing were changed.
    const natural = last + hop;
    const from = to === -hop ? wanted : bestNear(input, { wanted, natural, reach, hop });
    for (let at = Math.max(0, -to); at < 2 * hop && to + at < out.length; at++) {
      out[to + at] = (out[to + at] ?? 0) + (input[from + at] ?? 0) * (window[at] ?? 0);
    }
    last = from;
  }
  return out.subarray(0, length);
}

interface Search {
  readonly wanted: number;
  readonly natural: number;
  readonly reach: number;
  readonly hop: number;
}

/** The place around `wanted` that sounds most like what is at `natural`. */
function bestNear(input: Float32Array, { wanted, natural, reach, hop }: Search): number {
  let best = wanted;
  let most = -Infinity;
  for (let place = wanted - reach; place <= wanted + reach; place += 2) {
    const likeness = correlation(input, { a: place, b: natural, length: hop });
    if (likeness > most) [best, most] = [place, likeness];
  }
  return best;
}

interface Places {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Normalised by the loudness at `a`; every second sample will do. */
function correlation(input: Float32Array, { a, b, length }: Places): number {
  let product = 0;
  let energy = 1e-9;
  for (let at = 0; at < length; at += 2) {
    const value = input[a + at] ?? 0;
    product += value * (input[b + at] ?? 0);
    energy += value * value;
  }
  return product / Math.sqrt(energy);
}
