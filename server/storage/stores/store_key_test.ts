import assert from "node:assert/strict";
import { assertKey, keyBytes } from "./store_key.ts";

Deno.test("keyBytes counts a part as UTF-8 with its mark and terminator, and a zero byte twice", () => {
  const cases = [
    [[1], 9],
    [[""], 2],
    [["plain words, 1~2"], 18],
    [["tab\tand\x7f"], 10],
    [["\0"], 4],
    [["a\0b\0"], 8],
    [["é"], 4],
    [["€\0"], 7],
    [["😀"], 6],
    [["keys", 7, "ü"], 6 + 9 + 4],
  ] as const;
  for (const [key, bytes] of cases) assert.equal(keyBytes(key), bytes, JSON.stringify(key));
});

Deno.test("assertKey takes 2,000 bytes and no more", () => {
  for (const letter of ["a", "é"]) {
    const most = Math.floor((2_000 - 2) / new TextEncoder().encode(letter).length);
    assertKey([letter.repeat(most)]);
    assert.throws(() => assertKey([letter.repeat(most + 1)]), { kind: "too_large" });
  }
});
