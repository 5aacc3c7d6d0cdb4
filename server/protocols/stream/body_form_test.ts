import assert from "node:assert/strict";
import { bodyFormOf, peekBody, readAllAtOnce } from "./body_form.ts";

const encoder = new TextEncoder();

/** Begins of bodies, and what they are. */
const cases: readonly (readonly [string, "stream" | "whole" | undefined])[] = [
  ["data: {}\n\n", "stream"],
  ["event: message_start\ndata: {}\n\n", "stream"],
  [": ping\n\n", "stream"],
  ["id: 1\ndata: {}\n\n", "stream"],
  ["retry: 3\n\n", "stream"],
  ["\n\n  data: {}\n\n", "stream"],
  ["\ufeffdata: {}\n\n", "stream"],
  ["\0\0\0\u0080", "stream"],
  ['{"id": "x"}', "whole"],
  ["\n\n\n [{}]", "whole"],
  ['\ufeff{"id": "x"}', "whole"],
  ["<html>", undefined],
  ["dataset", undefined],
  ["", undefined],
  ["   ", undefined],
];

Deno.test("bodyFormOf tells streams and objects by their beginning", () => {
  for (const [text, form] of cases) assert.equal(bodyFormOf(text), form, text);
});

/** Everything that a reader gives. */
async function bytesOf(read: () => Promise<Uint8Array | undefined>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text;
}

Deno.test("peekBody sees the form however the bytes come, and gives all of them out again", async () => {
  for (const [text, form] of cases) {
    for (const size of [1, 2, 1000]) {
      const bytes = encoder.encode(text);
      let at = 0;
      const peeked = await peekBody(() => {
        const chunk = bytes.subarray(at, at + size);
        at += size;
        return Promise.resolve(chunk.length === 0 ? undefined : chunk);
      });
      assert.equal(peeked.form, form, `${text} by ${size}`);
      assert.equal(await bytesOf(peeked.read), text);
    }
  }
});

Deno.test("peekBody leaves a fault to who reads on", async () => {
  const peeked = await peekBody(() => Promise.reject(new Error("cut")));
  assert.equal(peeked.form, undefined);
  await assert.rejects(peeked.read(), /cut/);
});

Deno.test("peekBody gives up on a flood of white space", async () => {
  let reads = 0;
  const { form } = await peekBody(() => Promise.resolve(encoder.encode(" ".repeat(100 + reads++))));
  assert.equal(form, undefined);
  assert(reads < 100);
});

Deno.test("readAllAtOnce gives its bytes once", async () => {
  const read = readAllAtOnce(encoder.encode("all"));
  assert.equal(await bytesOf(read), "all");
  assert.equal(await read(), undefined);
});
