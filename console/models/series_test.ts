import assert from "node:assert/strict";
import { addUp, bucketsOf, rangeOf, seriesOf, sumOf } from "./series.ts";

const now = Date.UTC(2026, 10, 24, 2, 30);
const buckets = bucketsOf(rangeOf("24h"), now);

Deno.test("the buckets of a range end with the running one", () => {
  assert.equal(buckets.length, 24);
  assert.equal(new Date(buckets.at(-1)?.from ?? 0).toISOString(), "2026-11-24T02:00:00.000Z");
  assert.equal(rangeOf("no such").id, "24h");
  assert.equal(bucketsOf(rangeOf("30d"), now)[0]?.from, Date.UTC(2026, 9, 26));
});

Deno.test("the largest groups are series, the others are one, and nothing is lost", () => {
  const points = Array.from({ length: 9 }, (_, name) => ({
    name: `model ${name}`,
    at: buckets[name]?.from ?? 0,
    value: name + 1,
  }));
  const series = seriesOf(points, { buckets, others: (count) => `${count} others` });
  assert.deepEqual(series.map(({ name }) => name), [
    "model 8",
    "model 7",
    "model 6",
    "model 5",
    "model 4",
    "4 others",
  ]);
  assert.equal(series.reduce((sum, one) => sum + sumOf(one), 0), 45);
  assert.deepEqual(series.map(({ hue }) => hue), ["f1", "f2", "f3", "f4", "f5", "f6"]);
  const six = seriesOf(points.slice(0, 6), { buckets, others: () => "" });
  assert.equal(six.length, 6);
});

Deno.test("addUp gives each value the sum of all before it", () => {
  const series = { name: "a", hue: "f1", values: [1, null, 2, 0] };
  assert.deepEqual(addUp(series).values, [1, 1, 3, 3]);
});
