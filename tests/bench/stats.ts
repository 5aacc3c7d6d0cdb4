/** Numbers out of measurements. */

/** The smallest, middle and largest of some repetitions. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The value below which a share of the sorted values lies; NaN of an empty list. */
export function percentile(sorted: readonly number[], share: number): number {
  const at = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return sorted[Math.max(0, at)] ?? NaN;
}

export function sorted(values: Iterable<number>): number[] {
  return [...values].sort((a, b) => a - b);
}

/** NaN, as "not measured", is left out; a spread of nothing is NaN throughout. */
export function spread(values: readonly number[]): Spread {
  const all = sorted(values.filter((value) => !Number.isNaN(value)));
  const middle = all.length >> 1;
  const median = all.length % 2 === 1
    ? percentile(all, 0.5)
    : ((all[middle - 1] ?? NaN) + (all[middle] ?? NaN)) / 2;
  return { min: all[0] ?? NaN, median, max: all.at(-1) ?? NaN };
}

/** One spread out of two series measured side by side, pair by pair. */
export function paired(
  left: readonly number[],
  right: readonly number[],
  { combine }: { readonly combine: (left: number, right: number) => number },
): Spread {
  return spread(left.map((value, index) => combine(value, right[index] ?? NaN)));
}
