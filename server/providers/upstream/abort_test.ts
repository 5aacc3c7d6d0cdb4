import assert from "node:assert/strict";
import { turns } from "../../../tests/support/clock.ts";
import {
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  type UpstreamConnection,
  upstreamServer,
} from "../../../tests/support/upstream_server.ts";
import { seeded } from "../../../tests/fuzz/random.ts";
import { seed } from "../../../tests/support/seed.ts";
import { drain, transportRig } from "../../../tests/support/upstream_rig.ts";
import { patiently, pause } from "../../../tests/support/until.ts";

const reason = new Error("cut");
const cut = { message: "cut" };

/** Sends `text` behind the request and waits for the caller to leave. */
const sends = (text: string) => async (connection: UpstreamConnection) => {
  await connection.request();
  await connection.write(text);
  await connection.gone();
};

const left = async (connections: readonly UpstreamConnection[]) => {
  for (const connection of connections) await patiently(connection.gone());
};

Deno.test("C1 a call cut before it starts sends nothing", async () => {
  await using server = upstreamServer(sends(answer("ok")));
  await using rig = transportRig();
  await assert.rejects(rig.post(server.url, { signal: AbortSignal.abort(reason) }), cut);
  await pause(20);
  assert.equal(server.connections.length, 0);
});

Deno.test("C1 a call cut while it connects rejects at once and sends nothing", async () => {
  const stages = [
    () => Promise.resolve(),
    () => new Promise((resolve) => queueMicrotask(() => resolve(0))),
    () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  ];
  for (const stage of stages) {
    await using server = upstreamServer(sends(""));
    await using rig = transportRig();
    const abort = new AbortController();
    const reply = assert.rejects(rig.post(server.url, { signal: abort.signal }), cut);
    await stage();
    abort.abort(reason);
    await patiently(reply);
    await pause(20);
    assert.ok(server.requests <= 1, String(server.requests));
  }
});

Deno.test("C1 a call cut while nobody accepts its connection is gone", async () => {
  const full = Deno.listen({ port: 0, hostname: "127.0.0.1", tcpBacklog: 1 });
  const { port } = full.addr as Deno.NetAddr;
  const waiting = await Promise.all(Array.from({ length: 2 }, () => Deno.connect({ port })));
  await using rig = transportRig();
  const abort = new AbortController();
  const reply = assert.rejects(rig.post(`http://127.0.0.1:${port}`, { signal: abort.signal }), cut);
  await pause(30);
  abort.abort(reason);
  await patiently(reply);
  await rig.clock.advanceOnce(turns, 1_000);
  await pause(5);
  assert.equal(rig.clock.open, 0);
  for (const conn of waiting) conn.close();
  full.close();
});

Deno.test("C1 200 calls cut while they connect leave no connection", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.gone();
  });
  await using rig = transportRig();
  const random = seeded(seed);
  const one = async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), random.next() * 5);
    await assert.rejects(rig.post(server.url, { signal: abort.signal }), cut);
  };
  await Promise.all(Array.from({ length: 200 }, one));
  await pause(20);
  await left(server.connections);
});

Deno.test("C1 a call cut before an answer closes the provider's connection", async () => {
  for (const begun of ["", "HTTP/1.1 200 OK\r\ncontent-ty"]) {
    await using server = upstreamServer(sends(begun));
    await using rig = transportRig();
    const abort = new AbortController();
    const reply = assert.rejects(rig.post(server.url, { signal: abort.signal }), cut);
    await pause(30);
    abort.abort(reason);
    await patiently(reply);
    await left(server.connections);
    assert.equal(server.connections.length, 1);
  }
});

Deno.test("C1 a call cut while its body is sent closes the provider's connection", async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  const accepted = listener.accept();
  await using rig = transportRig();
  const abort = new AbortController();
  const reply = assert.rejects(
    rig.post(`http://127.0.0.1:${port}`, { body: "x".repeat(32_000_000), signal: abort.signal }),
    cut,
  );
  const conn = await accepted;
  await pause(50);
  abort.abort(reason);
  await patiently(reply);
  const buffer = new Uint8Array(1_000_000);
  const untilClosed = async () => {
    try {
      while (await conn.read(buffer) !== null);
    } catch (error) {
      assert.ok(error instanceof Deno.errors.ConnectionReset, String(error));
    }
    resolve();
  };
  await Promise.all([untilClosed(), patiently(done)]);
  conn.close();
  listener.close();
});

Deno.test("C1 a call cut in the middle of its answer rejects the pending read", async () => {
  await using server = upstreamServer(sends(CHUNKED + chunk("one")));
  await using rig = transportRig();
  const abort = new AbortController();
  const reply = await rig.post(server.url, { signal: abort.signal });
  assert.equal((await reply.read())?.length, 3);
  const next = assert.rejects(reply.read(), cut);
  await pause(10);
  abort.abort(reason);
  await patiently(next);
  await left(server.connections);
  await assert.rejects(reply.read(), cut);
  reply.discard();
});

Deno.test("C1 a call cut while nobody reads its answer is closed, and the next read rejects", async () => {
  for (const text of [CHUNKED + chunk("one"), answer("all of it"), CHUNKED]) {
    await using server = upstreamServer(sends(text));
    await using rig = transportRig();
    const abort = new AbortController();
    const reply = await rig.post(server.url, { signal: abort.signal });
    await pause(10);
    abort.abort(reason);
    await left(server.connections);
    await assert.rejects(patiently(drain(reply)), cut);
  }
});

Deno.test("C1 a whole answer cut in its middle rejects", async () => {
  await using server = upstreamServer(sends("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc"));
  await using rig = transportRig();
  const abort = new AbortController();
  const text = (await rig.post(server.url, { signal: abort.signal })).text(1_000);
  const refused = assert.rejects(text, cut);
  await pause(10);
  abort.abort(reason);
  await patiently(refused);
  await left(server.connections);
});

Deno.test("C1 a cut behind the end of an answer leaves the connection to others", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("one"));
    await connection.request();
    await pause(30);
    await connection.write(answer("two"));
  });
  await using rig = transportRig();
  const abort = new AbortController();
  await (await rig.post(server.url, { signal: abort.signal })).text(10);
  await rig.kept();
  const second = rig.post(server.url);
  await pause(10);
  abort.abort(reason);
  assert.equal(await (await second).text(10), "two");
  assert.equal(server.connections.length, 1);
});

Deno.test("discard keeps the connection of an answer whose rest comes at once", async () => {
  await using server = upstreamServer(async (connection) => {
    while (await connection.request() !== undefined) {
      await connection.write(CHUNKED + chunk("data: [DONE]\n\n"));
      await pause(10);
      await connection.write(LAST_CHUNK);
    }
  });
  await using rig = transportRig();
  for (let i = 0; i < 5; i++) {
    const reply = await rig.post(server.url);
    if (i % 2 === 0) await reply.read();
    reply.discard();
    reply.discard();
    await pause(100);
    await rig.kept();
  }
  assert.equal(server.connections.length, 1);
});

Deno.test("discard closes, after half a second, an answer that does not end", async () => {
  await using server = upstreamServer(sends(CHUNKED + chunk("data: [DONE]\n\n")));
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  assert.ok(await reply.read());
  reply.discard();
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 499);
  assert.equal(rig.clock.open, 1, "it may end yet");
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 1);
  await left(server.connections);
});

Deno.test("discard closes at once an answer that is being read", async () => {
  await using server = upstreamServer(sends(CHUNKED + chunk("data: [DONE]\n\n")));
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  const pending = reply.read().then(() => reply.read());
  await pause(10);
  reply.discard();
  await assert.rejects(patiently(pending), { message: /let go/ });
  assert.equal(rig.clock.open, 0);
  await left(server.connections);
});

Deno.test("discard closes at once an answer that goes on and on", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(CHUNKED);
    for (;;) await connection.write(chunk("x".repeat(1_000)));
  });
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  await reply.read();
  reply.discard();
  await left(server.connections);
});

Deno.test("C1 calls cut at 100 moments leave no connection and no unhandled error", async () => {
  await using server = upstreamServer(async (connection) => {
    while (await connection.request() !== undefined) {
      await connection.write(CHUNKED);
      for (let i = 0; i < 5; i++) {
        await connection.write(chunk(`data: ${i}\n\n`));
        await pause(1);
      }
      await connection.write(LAST_CHUNK);
    }
  });
  await using rig = transportRig();
  const one = async (i: number) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(reason), i / 8);
    try {
      await drain(await rig.post(server.url, { signal: abort.signal }));
    } catch (error) {
      assert.equal(error, reason);
    }
    clearTimeout(timer);
  };
  for (let i = 0; i < 100; i += 5) await Promise.all([0, 1, 2, 3, 4].map((j) => one(i + j)));
  // What is left is unused, and as good as new.
  for (let i = 0; i < 5; i++) assert.match(await drain(await rig.post(server.url)), /data: 4/);
});
