import assert from "node:assert/strict";
import { timestampOf } from "./timestamps.ts";

Deno.test("timestampOf writes what Date writes", () => {
  const now = Date.UTC(2026, 10, 21, 12, 59, 59, 990);
  const moments = [
    ...Array.from({ length: 25 }, (_, at) => now + at),
    ...[now, now + 86_400_000, now, now - 1, 0, 7, 999, 1_000, -1, -1_000, -1_001, 1.5, -0.5, -0],
    ...[Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(10000, 0, 1), Date.UTC(-1, 0, 1), 8.64e15],
  ];
  for (const at of moments) assert.equal(timestampOf(at), new Date(at).toISOString(), String(at));
});

Deno.test("timestampOf refuses what is no moment", () => {
  for (const at of [NaN, Infinity, 8.64e15 + 1_000]) assert.throws(() => timestampOf(at), RangeError);
  assert.equal(timestampOf(5), "1970-01-01T00:00:00.005Z", "and still writes others");
});
