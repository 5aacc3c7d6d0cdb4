/**
 * Strings → 64 bits → chance: MurmurHash3's 32-bit rounds over UTF-16 code units, in two shards. Every instance
 * of every version must agree on it, because a session finds its endpoint by it and by nothing else.
 */

/** Two independent 32-bit halves, unsigned. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

const HIGH_SEED = 0x9747b28c;
const LOW_SEED = 0x3c6ef372;

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

function round(state: number, word: number): number {
  const scrambled = Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotate(state ^ scrambled, 13), 5) + 0xe6546b64) | 0;
}

function finish(state: number, length: number): number {
  let left = state ^ length;
  left = Math.imul(left ^ (left >>> 16), 0x85ebca6b);
  left = Math.imul(left ^ (left >>> 13), 0xc2b2ae35);
  return (left ^ (left >>> 16)) >>> 0;
}

export function hashText(text: string): Hash {
  let high = HIGH_SEED;
  let low = LOW_SEED;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = round(high, unit);
    low = round(low, unit);
  }
  return { high: finish(high, text.length), low: finish(low, text.length) };
}

function hashRounds(seed: number, [one, other]: readonly [Hash, Hash]): number {
  const first = round(round(seed, one.high), one.low);
  return finish(round(round(first, other.high), other.low), 16);
}

/** A number above 0 and below 1 that looks drawn by chance and is always the same for the same pair. */
export function hashToUnitInterval(one: Hash, other: Hash): number {
  const high = hashRounds(HIGH_SEED, [one, other]) >>> 5;
  const low = hashRounds(LOW_SEED, [one, other]) >>> 6;
  return (high * 0x4000000 + low + 0.5) / 2 ** 53;
}

/** Fourteen characters at most, of digits and small letters. */
export const shortHash = (text: string): string => {
  const { high, low } = hashText(text);
  return high.toString(36) + low.toString(36).padStart(7, "0");
};
