import assert from "node:assert/strict";
import { hashText, hashToUnitInterval, shortHash } from "./hash.ts";

Deno.test("hashText gives the values on which every instance has agreed", () => {
  assert.deepEqual(["", "a", "ab", "session-1"].map(hashText), [
    { high: 3954623016, low: 1020716019 },
    { high: 298494453, low: 2884439244 },
    { high: 2805206227, low: 1799680156 },
    { high: 3683526222, low: 1711739210 },
  ]);
  assert.equal(shortHash("mock"), "1obsdzo16m0rj4");
});

Deno.test("hashText tells apart texts that differ in one place, or in their order", () => {
  const texts = ["a", "b", "aa", "ab", "ba", "a\0", "\0a", "é", "e"];
  const seen = new Set(texts.map((text) => JSON.stringify(hashText(text))));
  assert.equal(seen.size, texts.length);
});

/** χ² of `bins` equal bins; far in the tail of its distribution only for a broken hash. */
function chiSquare(values: readonly number[], bins: number): number {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) counts[Math.floor(value * bins)] = (counts[Math.floor(value * bins)] ?? 0) + 1;
  const expected = values.length / bins;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

Deno.test("hashToUnitInterval is uniform over sessions and over endpoints, whatever their names look like", () => {
  const endpoint = hashText("acme|acme/llama|llama");
  const session = hashText("session");
  const names: readonly ((at: number) => string)[] = [
    (at) => `session-${at}`,
    (at) => String(at),
    (at) => `${"x".repeat(100)}${at.toString(2)}`,
  ];
  for (const name of names) {
    const keys = Array.from({ length: 20_000 }, (_, at) => hashToUnitInterval(hashText(name(at)), endpoint));
    const endpoints = Array.from(
      { length: 20_000 },
      (_, at) => hashToUnitInterval(session, hashText(name(at))),
    );
    for (const values of [keys, endpoints]) {
      assert(values.every((value) => value > 0 && value < 1));
      // 99 degrees of freedom: above 160 once in ten thousand.
      assert(chiSquare(values, 100) < 160, `χ² ${chiSquare(values, 100)}`);
    }
  }
});

Deno.test("hashToUnitInterval draws for two endpoints independently of each other", () => {
  const one = hashText("p0|m|m");
  const other = hashText("p1|m|m");
  const pairs = Array.from({ length: 20_000 }, (_, at) => {
    const key = hashText(`s\0${at}`);
    return Math.floor(hashToUnitInterval(key, one) * 10) * 10 +
      Math.floor(hashToUnitInterval(key, other) * 10);
  });
  assert(chiSquare(pairs.map((pair) => (pair + 0.5) / 100), 100) < 160);
});
