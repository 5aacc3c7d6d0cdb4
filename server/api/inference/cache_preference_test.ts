import assert from "node:assert/strict";
import { cachePreference } from "./cache_preference.ts";

type Standing = Parameters<typeof cachePreference>[1];

/** Headers by their ends (`""`, `-ttl`, `-clear`), the preset's fields, the outcome, and the key's fields. */
type Row = readonly [
  headers: Readonly<Record<string, string>>,
  preset: Standing["preset"],
  preference: ReturnType<typeof cachePreference>,
  key?: Standing["key"],
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
  [{}, undefined, on, { enabled: true }],
  [{}, undefined, undefined, { enabled: false, ttlSeconds: 60 }],
  [{}, {}, on, { enabled: true }],
  [{ "": "junk" }, undefined, on, { enabled: true }],
  [{ "": "false" }, undefined, undefined, { enabled: true }],
  [{ "": "true" }, undefined, on, { enabled: false }],
  [{ "": "true" }, { enabled: false }, undefined, { enabled: true }],
  [{}, { enabled: false }, undefined, { enabled: true }],
  [{}, { enabled: true }, on, { enabled: false }],
  [{}, undefined, { ...on, ttlSeconds: 60 }, { enabled: true, ttlSeconds: 60 }],
  [{ "": "true" }, undefined, { ...on, ttlSeconds: 60 }, { enabled: false, ttlSeconds: 60 }],
  [{}, { enabled: true }, { ...on, ttlSeconds: 60 }, { enabled: false, ttlSeconds: 60 }],
  [{}, { ttlSeconds: 70 }, { ...on, ttlSeconds: 70 }, { enabled: true, ttlSeconds: 60 }],
  [{ "-ttl": "80" }, { ttlSeconds: 70 }, { ...on, ttlSeconds: 80 }, { enabled: true, ttlSeconds: 60 }],
  [{ "-clear": "true" }, undefined, { ...on, clear: true }, { enabled: true }],
];

Deno.test("cachePreference reads headers, the preset and the key, by their precedence and leniently", () => {
  for (const [headers, preset, preference, key] of rows) {
    const sent = new Headers(
      Object.entries(headers).map(([end, value]) => [`x-openrouter-cache${end}`, value]),
    );
    assert.deepEqual(
      cachePreference(sent, { preset, key }),
      preference,
      JSON.stringify([headers, preset, key]),
    );
  }
});
