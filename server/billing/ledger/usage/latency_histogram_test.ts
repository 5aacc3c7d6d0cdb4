import assert from "node:assert/strict";
import { latencyBucket, latencyPercentile, mergeHistogram } from "./latency_histogram.ts";

Deno.test("latencyBucket rises with the duration and ends at an hour", () => {
  const durations = [0, 0.4, 1, 1.2, 2, 7, 120, 1_000, 59_000, 3_599_000, 1e12];
  const buckets = durations.map(latencyBucket);
  assert.deepEqual(buckets, buckets.toSorted((a, b) => a - b));
  assert.equal(latencyBucket(0), 0);
  assert.equal(latencyBucket(NaN), 0);
  assert.equal(latencyBucket(1e12), latencyBucket(1e15));
  assert(latencyBucket(1e15) < 100);
});

Deno.test("percentile tells what a share of requests did not exceed, within 10 %", () => {
  const histogram = new Map<number, number>();
  const durations = Array.from({ length: 1_000 }, (_, at) => at + 1);
  for (const ms of durations) histogram.set(latencyBucket(ms), (histogram.get(latencyBucket(ms)) ?? 0) + 1);
  for (const p of [0.01, 0.5, 0.95, 0.99, 1]) {
    const estimate = latencyPercentile(histogram, p) ?? 0;
    const exact = durations[Math.ceil(p * 1_000) - 1] ?? 0;
    assert(Math.abs(estimate / exact - 1) < 0.1, `p${p * 100}: ${estimate} instead of ${exact}`);
  }
});

Deno.test("percentile tells nothing of nothing", () => {
  assert.equal(latencyPercentile(new Map(), 0.5), null);
});

Deno.test("mergeHistogram adds bucket by bucket", () => {
  const into = new Map([[1, 2], [3, 1]]);
  mergeHistogram(into, new Map([[3, 4], [5, 1]]));
  assert.deepEqual([...into], [[1, 2], [3, 5], [5, 1]]);
});
