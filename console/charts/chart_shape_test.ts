import assert from "node:assert/strict";
import { axisDecimals, axisTicks, axisTop, bucketAt, highest, linePath, stackedBars } from "./chart_shape.ts";

Deno.test("axisTop is the smallest round number that nothing exceeds", () => {
  const cases = [[0, 2, 2], [5, 2, 6], [97, 4, 120], [25.16, 4, 32], [0.0042, 2, 0.006], [
    1_000,
    4,
    1_200,
  ]] as const;
  for (const [most, parts, top] of cases) assert.equal(axisTop(most, { parts }), top, `${most} in ${parts}`);
  for (let most = 0.01; most < 1e6; most *= 1.37) {
    const top = axisTop(most, { parts: 4 });
    assert(top >= most * (1 - 1e-9) && top <= 2.1 * most, `${most}: ${top}`);
    assert.equal(axisTicks(top, 4).at(-1), 0);
  }
});

Deno.test("marks of counts are whole, and marks are told from each other", () => {
  for (const [most, top] of [[1, 2], [3, 4], [5, 6], [25, 30], [29, 30], [31, 40]] as const) {
    assert.equal(axisTop(most, { parts: 2, whole: true }), top, `${most}`);
  }
  for (const [top, decimals] of [[0.06, 3], [6, 1], [12, 0], [0.000_004, 6], [1e21, 0]] as const) {
    assert.equal(axisDecimals(top, 4), decimals, `${top}`);
  }
});

const series = [{ name: "a", hue: "f1", values: [1, 0, 3] }, { name: "b", hue: "f2", values: [1, 2, null] }];

Deno.test("bars stand on each other, and the running one apart", () => {
  assert.equal(highest(series, { stacked: true }), 3);
  assert.equal(highest(series, { stacked: false }), 3);
  const [a, b] = stackedBars(series, { top: 4, running: 2 });
  assert.equal(a?.past.split("M").length, 2);
  assert.match(a?.running ?? "", /^M168\.8 25h62\.4v75h-62\.4z$/);
  assert.match(b?.past ?? "", /^M8\.8 50h62\.4v24\.45/);
  assert.equal(b?.running, "");
});

Deno.test("a line is interrupted where there is no value, and a point alone is seen", () => {
  const path = linePath({ name: "p50", hue: "l1", values: [1, 2, null, 4, null] }, 4);
  assert.equal(path, "M24 75L72 50M168 0h0.01");
});

Deno.test("bucketAt knows the bucket under the pointer", () => {
  assert.deepEqual([0, 0.5, 0.999, 1, -0.1].map((share) => bucketAt(share, 24)), [
    0,
    12,
    23,
    undefined,
    undefined,
  ]);
  assert.equal(bucketAt(0.5, 0), undefined);
});
