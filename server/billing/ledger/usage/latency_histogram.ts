/** How long requests took, counted in fixed buckets, each 19 % wider than the one before: mergeable, and small. */

/** Buckets to a doubling. */
const STEPS = 4;
/** The last one is open: from an hour on. */
const LAST = Math.ceil(Math.log2(3_600_000) * STEPS) + 1;

/** The bucket of a duration in milliseconds. */
export function latencyBucket(ms: number): number {
  if (!(ms >= 1)) return 0;
  return Math.min(LAST, 1 + Math.floor(Math.log2(ms) * STEPS));
}

/** Value that stands for a bucket: its geometric middle, in milliseconds, to three digits. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0.5;
  return Number((2 ** ((bucket - 0.5) / STEPS)).toPrecision(3));
}

/** Requests by bucket. */
export type LatencyHistogram = ReadonlyMap<number, number>;

/** Adds `from` to `into`. */
export function mergeHistogram(into: Map<number, number>, from: LatencyHistogram): void {
  for (const [bucket, count] of from) into.set(bucket, (into.get(bucket) ?? 0) + count);
}

/**
 * The duration in ms that the share `p` (above 0, up to 1) of requests did not exceed, at most 9 % off; null when
 * there are none.
 */
export function latencyPercentile(histogram: LatencyHistogram, p: number): number | null {
  const buckets = [...histogram].toSorted(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(total * p));
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= wanted) return middleOf(bucket);
  }
  return null;
}
