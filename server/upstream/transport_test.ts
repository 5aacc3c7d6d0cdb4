import assert from "node:assert/strict";
import { parseRetryAfter } from "./transport.ts";

const now = Date.UTC(2026, 0, 1);
const table: readonly (readonly [string | null, number | undefined])[] = [
  [null, undefined],
  ["5", 5],
  ["0.2", 1],
  ["-3", 0],
  ["NaN", undefined],
  ["1e9", undefined],
  ["100000", 60],
  ["", undefined],
  ["soon", undefined],
  [new Date(now + 20_000).toUTCString(), 20],
  [new Date(now - 20_000).toUTCString(), 0],
];

for (const [header, seconds] of table) {
  Deno.test(`U1 retryAfter reads ${JSON.stringify(header)} as ${seconds}`, () => {
    assert.equal(parseRetryAfter(header, now), seconds);
  });
}
