import assert from "node:assert/strict";
import { cachePreference } from "./cache_preference.ts";

/** Headers by their ends (`""`, `-ttl`, `-clear`), the preset's fields, and the outcome. */
type Row = readonly [
  headers: Readonly<Record<string, string>>,
  preset: Parameters<typeof cachePreference>[1],
  preference: ReturnType<typeof cachePreference>,
];

const on = { ttlSeconds: 300, clear: false };

const rows: readonly Row[] = [
  [{}, undefined, undefined],
  [{ "": "true" }, undefined, on],
  [{ "": "false" }, undefined, undefined],
  [{ "": " True " }, undefined, on],
  [{ "": "1" }, undefined, undefined],
  [{ "-ttl": "60" }, undefined, undefined],
  [{ "-clear": "true" }, undefined, undefined],
  [{}, { enabled: true }, on],
  [{ "": "false" }, { enabled: true }, undefined],
  [{ "": "true" }, { enabled: false }, undefined],
  [{ "": "junk" }, { enabled: true }, on],
  [{ "": "true" }, {}, on],
  [{}, { ttlSeconds: 60 }, undefined],
  [{}, { enabled: true, ttlSeconds: 60 }, { ...on, ttlSeconds: 60 }],
  [{ "-ttl": "90" }, { enabled: true, ttlSeconds: 60 }, { ...on, ttlSeconds: 90 }],
  [{ "-ttl": "junk" }, { enabled: true, ttlSeconds: 60 }, { ...on, ttlSeconds: 60 }],
  [{ "": "true" }, { ttlSeconds: 60 }, { ...on, ttlSeconds: 60 }],
  ...([
    ["1", 1],
    ["0", 1],
    ["1.5", 1],
    ["0.5", 1],
    ["1.", 1],
    [".5", 300],
    ["-5", 1],
    ["86400", 86_400],
    ["86401", 86_400],
    ["9".repeat(400), 86_400],
    [
      " 12.9 ",
      12,
    ],
    ["", 300],
    ["1e3", 300],
    ["0x10", 300],
    ["ten", 300],
    ["NaN", 300],
  ] as const).map(([ttl, seconds]): Row => [
    { "": "true", "-ttl": ttl },
    undefined,
    { ...on, ttlSeconds: seconds },
  ]),
  [{ "": "true", "-clear": "TRUE" }, undefined, { ...on, clear: true }],
  [{ "": "true", "-clear": "yes" }, undefined, on],
];

Deno.test("cachePreference reads headers and the preset, by their precedence and leniently", () => {
  for (const [headers, preset, preference] of rows) {
    const sent = new Headers(
      Object.entries(headers).map(([end, value]) => [`x-openrouter-cache${end}`, value]),
    );
    assert.deepEqual(cachePreference(sent, preset), preference, JSON.stringify([headers, preset]));
  }
});
