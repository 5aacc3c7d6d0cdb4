/** Chance that can be repeated: the same seed gives the same choices. */

export interface Random {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  /** A whole number from 0 up to, not including, `end`. */
  readonly below: (end: number) => number;
  /** One of the list; throws when it is empty. */
  readonly pick: <T>(list: readonly T[]) => T;
}

/** mulberry32: 32 bits of state, good enough to vary inputs. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(list: readonly T[]): T => {
    const found = list[below(list.length)];
    if (found === undefined) throw new Error("Cannot pick from a list: it is empty");
    return found;
  };
  return { next, below, pick };
}
