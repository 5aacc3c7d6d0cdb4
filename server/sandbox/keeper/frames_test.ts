import assert from "node:assert/strict";
import { encodeFrame, FrameError, FrameReader, MAX_FRAME_BODY_BYTES } from "./frames.ts";

/** Hands out `bytes` in chunks of at most `size`. */
function reader(bytes: Uint8Array, size = Infinity): FrameReader {
  let offset = 0;
  return new FrameReader((room) => {
    if (offset === bytes.length) return Promise.resolve(null);
    const chunk = bytes.subarray(offset, offset + Math.min(size, room.length));
    room.set(chunk);
    offset += chunk.length;
    return Promise.resolve(chunk.length);
  });
}

const text = (body: Uint8Array | undefined) => new TextDecoder().decode(body);
const bytes = (body: string) => new TextEncoder().encode(body);

Deno.test("FrameReader reads frames whatever pieces they come in", async () => {
  const both = Buffer.concat([
    encodeFrame({ a: 1, é: "ü" }, bytes("body")),
    encodeFrame({}, new Uint8Array(0)),
  ]);
  for (const size of [1, 2, 3, 7, 64, Infinity]) {
    const frames = reader(both, size);
    const first = await frames.next();
    assert.deepEqual([first?.header, text(first?.body)], [{ a: 1, é: "ü" }, "body"]);
    assert.deepEqual((await frames.next())?.header, {});
    assert.equal(await frames.next(), undefined);
  }
});

Deno.test("FrameReader ends with a pipe that breaks off anywhere in a frame", async () => {
  const whole = encodeFrame({ a: 1 }, bytes("body"));
  for (let length = 0; length < whole.length; length++) {
    assert.equal(await reader(whole.subarray(0, length)).next(), undefined);
  }
});

Deno.test("FrameReader throws at what is no frame", async () => {
  const bad = [
    bytes("GET / HTTP/1.1\r\n\r\n"),
    new Uint8Array([0, 0, 0, 1, 0, 0, 0, 0, 123]),
    new Uint8Array([0, 2, 0, 0, 0, 0, 0, 0]),
    encodeFrame({}, new Uint8Array(MAX_FRAME_BODY_BYTES + 1)),
  ];
  for (const one of bad) await assert.rejects(reader(one).next(), FrameError);
});
