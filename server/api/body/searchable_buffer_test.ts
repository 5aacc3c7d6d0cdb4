import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { searchableBuffer } from "./searchable_buffer.ts";

Deno.test("searchableBuffer finds what a Buffer finds, in bytes of every value and in part of an array", () => {
  const all = Uint8Array.from({ length: 2_048 }, (_, at) => (at * 7) % 256);
  const bytes = all.subarray(100, 1_100);
  const [own, plain] = [searchableBuffer(bytes), Buffer.from(bytes)];
  for (let at = 0; at < 1_000; at += 13) {
    for (const length of [1, 2, 40]) {
      const needle = Buffer.from(all.subarray(100 + at, 100 + at + length));
      for (const from of [undefined, 0, 1, at, at + 1, 999, 1_000, 5_000]) {
        assert.equal(own.indexOf(needle, from), plain.indexOf(needle, from));
      }
    }
  }
  assert.equal(own.indexOf(Buffer.from("not in there")), -1);
  assert.equal(own.indexOf(bytes[500] ?? 0, 300), plain.indexOf(bytes[500] ?? 0, 300));
  bytes[7] = 1;
  assert.equal(own[7], 1, "it is the same memory");
});
