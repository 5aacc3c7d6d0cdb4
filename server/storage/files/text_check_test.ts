import assert from "node:assert/strict";
import { TextCheck } from "./text_check.ts";

const check = (bytes: Uint8Array, size: number): boolean => {
  const text = new TextCheck();
  for (let at = 0; at < bytes.length; at += size) {
    if (!text.take(bytes.subarray(at, at + size))) return false;
  }
  return text.take();
};

const isText = (bytes: Uint8Array): boolean => {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    // That is the question.
    return false;
  }
};

Deno.test("TextCheck says of bytes in chunks of any size what a decoder says of them whole", () => {
  const texts = ["plain", "\u00e9\u20ac\u{1f600}", "a\u0000b", "\u{10ffff}\u07ff\uffff", ""].map((text) =>
    new TextEncoder().encode(text)
  );
  const broken = [[0x80], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [
    0xc0,
    0x80,
  ]]
    .concat([[0xf5, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0x80, 0x80, 0x80, 0x80, 0x80], [
      0xfe,
      0x41,
    ]])
    .map((bytes) => Uint8Array.from(bytes));
  let valid = 0;
  for (const one of [...texts, ...broken]) {
    for (const other of [...texts, ...broken]) {
      const bytes = Uint8Array.from([...one, ...other, 0x61]);
      for (const whole of [bytes, bytes.subarray(0, -1)]) {
        if (isText(whole)) valid++;
        for (const size of [1, 2, 3, 4, 5, 100]) {
          assert.equal(check(whole, size), isText(whole), `${whole} by ${size}`);
        }
      }
    }
  }
  assert(valid > 10);
});
