import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import {
  always,
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  upstreamServer,
} from "../../../tests/support/upstream_server.ts";
import { drain, transportRig } from "../../../tests/support/upstream_rig.ts";
import { patiently, pause, settled } from "../../../tests/support/until.ts";

const MIB = 1024 * 1024;

const rss = () => Deno.memoryUsage().rss;

/** The process may grow by so many bytes meanwhile; other tests run in it at the same time. */
const MOST_GROWTH = 192 * MIB;

/** An endless body in chunks of `size` bytes. */
const endless = (size: number) =>
  upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(CHUNKED);
    const chunks = chunk("x".repeat(size)).repeat(Math.ceil(65_536 / size));
    for (;;) await connection.write(chunks);
  });

for (const size of [50, 65_536]) {
  Deno.test(`S6 an upstream that sends pieces of ${size} bytes to a reader that reads nothing is stopped`, async () => {
    await using server = endless(size);
    await using rig = transportRig();
    const before = rss();
    const reply = await rig.post(server.url);
    const first = await settled(() => server.connections[0]?.written ?? 0);
    await reply.read();
    const taken = await settled(() => server.connections[0]?.written ?? 0);
    // Most of it lies in the two sockets' buffers of the kernel.
    assert.ok(taken < 16 * MIB, `took ${taken} bytes`);
    assert.ok(rss() - before < MOST_GROWTH, `grew by ${rss() - before} bytes`);
    await pause(200);
    assert.equal(server.connections[0]?.written, taken);
    assert.ok(first > 0);
    reply.discard();
  });
}

Deno.test("S6 an upstream that was stopped goes on when the reader does", async () => {
  const size = 64 * MIB;
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    const piece = new Uint8Array(MIB);
    for (let i = 0; i < 64; i++) await connection.write(piece);
  });
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  await settled(() => server.connections[0]?.written ?? 0);
  let total = 0;
  for (let bytes = await reply.read(); bytes !== undefined; bytes = await reply.read()) {
    total += bytes.length;
    if (total % 7 === 0) await pause(1);
  }
  assert.equal(total, size);
});

Deno.test("U11 an endless whole answer is cut at its cap", async () => {
  await using server = endless(65_536);
  await using rig = transportRig();
  const before = rss();
  const reply = await rig.post(server.url);
  await assert.rejects(reply.text(4 * MIB), { name: "ResponseTooLarge" });
  await patiently(server.connections[0]?.gone() ?? Promise.reject());
  assert.ok(rss() - before < MOST_GROWTH, `grew by ${rss() - before} bytes`);
});

const encodings = [
  ["gzip", gzipSync],
  ["X-GZip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const;

for (const [encoding, compress] of encodings) {
  Deno.test(`U13 an answer compressed with ${encoding}, unasked, is read`, async () => {
    const text = "hello ".repeat(1_000);
    await using server = upstreamServer(async (connection) => {
      while (await connection.request() !== undefined) {
        const body = compress(text);
        await connection.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n`);
        await connection.write(`content-length: ${body.length}\r\n\r\n`);
        await connection.write(body);
      }
    });
    await using rig = transportRig();
    assert.equal(await (await rig.post(server.url)).text(6_000), text);
    await assert.rejects((await rig.post(server.url)).text(5_999), { name: "ResponseTooLarge" });
    assert.equal(await drain(await rig.post(server.url)), text);
    const reply = await rig.post(server.url);
    reply.discard();
    await assert.rejects(reply.read(), { message: /let go/ });
  });
}

Deno.test("U13 a compressed answer that breaks off, or is no such thing, rejects", async () => {
  const whole = gzipSync("hello ".repeat(1_000));
  const cut = whole.subarray(0, whole.length - 12);
  const headers = "content-encoding: gzip\r\n";
  for (const body of [cut, Buffer.from("not gzip at all")]) {
    await using server = upstreamServer(async (connection) => {
      await connection.request();
      await connection.write(`HTTP/1.1 200 OK\r\n${headers}content-length: ${body.length}\r\n\r\n`);
      await connection.write(body);
    });
    await using rig = transportRig();
    const reply = await rig.post(server.url);
    await assert.rejects(patiently(reply.text(10_000)), { name: "TransportError", kind: "cut" });
  }
});

Deno.test("U13 an encoding that nobody knows is refused, its status handed up", async () => {
  await using server = upstreamServer(always(answer("xyz", { headers: "content-encoding: zstd\r\n" })));
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  assert.equal(reply.status, 200);
  await assert.rejects(patiently(reply.text(10)), { kind: "bad_http", message: /zstd/ });
});

Deno.test("U13 500 MB in half a megabyte of gzip cost no memory", async () => {
  const bomb = gzipSync(new Uint8Array(50 * MIB));
  // Members of a gzip file may follow one another.
  const body = Buffer.concat(Array.from({ length: 10 }, () => bomb));
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await connection.write(body);
    await connection.gone();
  });
  await using rig = transportRig();
  const before = rss();
  await assert.rejects((await rig.post(server.url)).text(16 * MIB), { name: "ResponseTooLarge" });
  assert.ok(rss() - before < 96 * MIB, `a whole answer grew it by ${rss() - before} bytes`);
  const reply = await rig.post(server.url);
  let total = 0;
  while (total < 16 * MIB) total += (await reply.read())?.length ?? assert.fail("ended");
  await pause(100);
  reply.discard();
  assert.ok(rss() - before < 96 * MIB, `a stream grew it by ${rss() - before} bytes`);
  await patiently(server.connections[0]?.gone() ?? Promise.reject());
});

Deno.test("a stream of many small pieces is read in few", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(CHUNKED + chunk("data: 1\n\n").repeat(1_000) + LAST_CHUNK);
  });
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  await pause(20);
  let chunks = 0;
  for (let bytes = await reply.read(); bytes !== undefined; bytes = await reply.read()) chunks++;
  assert.ok(chunks < 100, String(chunks));
});
