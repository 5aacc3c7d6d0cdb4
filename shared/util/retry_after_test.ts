import assert from "node:assert/strict";
import { parseRetryAfter } from "./retry_after.ts";

const now = Date.UTC(2026, 0, 1);
const inSeconds = (seconds: number) => new Date(now + seconds * 1_000).toUTCString();

/** `retry-after-ms`, `retry-after`, seconds. */
const table: readonly (readonly [string | null, string | null, number | undefined])[] = [
  [null, null, undefined],
  [null, "5", 5],
  [null, " 5 ", 5],
  [null, "0.2", 1],
  [null, "-3", 0],
  [null, "NaN", undefined],
  [null, "1e9", undefined],
  [null, "100000", 100_000],
  [null, "9".repeat(400), undefined],
  [null, "", undefined],
  [null, "soon", undefined],
  [null, "5, 7", undefined],
  [null, inSeconds(20), 20],
  [null, inSeconds(-20), 0],
  ["1500", null, 2],
  ["1500", "9", 2],
  ["250.75", "9", 1],
  ["0", "9", 0],
  ["-250", "9", 0],
  ["60001", null, 61],
  ["", "9", 9],
  ["soon", "9", 9],
  ["NaN", "9", 9],
  ["Infinity", "9", 9],
  ["1e3", "9", 9],
  ["1500, 1500", "9", 9],
  [inSeconds(20), "9", 9],
  ["9".repeat(400), "9", 9],
  ["soon", inSeconds(7), 7],
  ["soon", "later", undefined],
];

for (const [milliseconds, seconds, expected] of table) {
  const headers = new Map([["retry-after-ms", milliseconds], ["retry-after", seconds]]);
  Deno.test(`U1 parseRetryAfter reads ${milliseconds?.slice(0, 40)} ms and ${seconds?.slice(0, 40)} as ${expected}`, () => {
    assert.equal(parseRetryAfter((name) => headers.get(name) ?? null, now), expected);
  });
}
