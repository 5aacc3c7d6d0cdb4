import assert from "node:assert/strict";
import { formatTimestamp, parseTimestamp } from "./timestamps.ts";

Deno.test("timestampOf writes what Date writes", () => {
  const now = Date.UTC(2026, 10, 21, 12, 59, 59, 990);
  const moments = [
    ...Array.from({ length: 25 }, (_, at) => now + at),
    ...[now, now + 86_400_000, now, now - 1, 0, 7, 999, 1_000, -1, -1_000, -1_001, 1.5, -0.5, -0],
    ...[Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(10000, 0, 1), Date.UTC(-1, 0, 1), 8.64e15],
  ];
  for (const at of moments) assert.equal(formatTimestamp(at), new Date(at).toISOString(), String(at));
});

Deno.test("timestampOf refuses what is no moment", () => {
  for (const at of [NaN, Infinity, 8.64e15 + 1_000]) assert.throws(() => formatTimestamp(at), RangeError);
  assert.equal(formatTimestamp(5), "1970-01-01T00:00:00.005Z", "and still writes others");
});

Deno.test("msOf reads what Date.parse reads", () => {
  const now = Date.UTC(2026, 10, 21, 12, 59, 59, 0);
  formatTimestamp(now);
  const near = [0, 1, 9, 10, 99, 100, 999, 1_000, -1, 86_400_000].map((ms) =>
    new Date(now + ms).toISOString()
  );
  const odd = [
    "2026-11-21T12:59:59.1Z",
    "2026-11-21T12:59:59.0012Z",
    "2026-11-21T12:59:59.12aZ",
    "2026-11-21T12:59:59.-12Z",
    "2026-11-21T12:59:59.001z",
    "2026-11-21T12:59:59.001+",
    "2026-11-21T12:59:59Z",
    "2026-11-21T12:59:59.001+01:00",
    "2026-11-21T24:00:00.000Z",
    "2026-11-21",
    "never",
    "",
  ];
  for (const text of [...near, ...odd]) assert.equal(parseTimestamp(text), Date.parse(text), text);
  for (const ms of [0, 8.64e15, -8.64e15]) {
    formatTimestamp(ms);
    for (const text of [formatTimestamp(ms), ...near]) {
      assert.equal(parseTimestamp(text), Date.parse(text), text);
    }
  }
});
