import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { compareKeys } from "../store_key.ts";
import { decodeOrderedKey, encodeOrderedKey, firstBytesAfter } from "./ordered_key.ts";
import { StoreError, type StoreKey } from "../store.ts";

const compared = (a: Uint8Array, b: Uint8Array) => {
  const [left, right] = [a.toHex(), b.toHex()];
  return left === right ? 0 : left < right ? -1 : 1;
};

const parts = [
  "",
  "\0",
  "a",
  "a\0",
  "a\0\0b",
  "ab",
  "b",
  "é",
  "\uffee",
  "🦊",
  -1e300,
  -10,
  -0.5,
  0,
  5e-324,
  9,
  1e21,
];
const keys: readonly StoreKey[] = [
  ["k"],
  ...parts.map((part) => ["l", part]),
  ...parts.flatMap((part) => parts.map((next) => ["l", part, next])),
  ["m"],
];

Deno.test("encodeOrderedKey sorts as the keys do", () => {
  for (const a of keys) {
    for (const b of keys) {
      assert.equal(
        compared(encodeOrderedKey(a), encodeOrderedKey(b)),
        Math.sign(compareKeys(a, b)),
        `${a} and ${b}`,
      );
    }
  }
});

Deno.test("decodeOrderedKey reads back what orderedBytes wrote, from a view too", () => {
  for (const key of keys) {
    assert.deepEqual(decodeOrderedKey(encodeOrderedKey(key)), key);
    const view = Buffer.concat([Buffer.from("xx"), encodeOrderedKey(key)]).subarray(2);
    assert.deepEqual(decodeOrderedKey(view), key);
  }
});

Deno.test("firstBytesAfter lies behind everything below a key and before its neighbours", () => {
  const end = firstBytesAfter(["l", "a"]);
  assert.equal(compared(encodeOrderedKey(["l", "a", 1e300, "x"]), end), -1);
  assert.equal(compared(encodeOrderedKey(["l", "a", "🦊"]), end), -1);
  assert.equal(compared(end, encodeOrderedKey(["l", "ab"])), -1);
});

Deno.test("decodeOrderedKey refuses what is no key", () => {
  for (const bytes of [[0x05], [0x02, 0x61], [0x21, 1, 2], [0x02, 0xff, 0xff, 0x00]]) {
    assert.throws(() => decodeOrderedKey(Uint8Array.from(bytes)));
  }
  assert.throws(
    () => decodeOrderedKey(Uint8Array.of(9)),
    (error) => error instanceof StoreError && error.kind === "corrupt",
  );
});
