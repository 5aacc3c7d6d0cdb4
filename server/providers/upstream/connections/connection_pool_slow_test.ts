import assert from "node:assert/strict";
import { turns } from "../../../../tests/support/clock.ts";
import {
  always,
  answer,
  type UpstreamConnection,
  upstreamServer,
} from "../../../../tests/support/upstream_server.ts";
import { type TransportRig, transportRig } from "../../../../tests/support/upstream_rig.ts";
import { patiently, pause } from "../../../../tests/support/until.ts";
import { REUSE_DELAY_MS } from "./reuse_delay.ts";
import { KeptConnectionEnded } from "../transport.ts";

/** Answers `count` requests of a connection, reads one more, and closes. */
const closesAfter = (count: number, last = "") => async (connection: UpstreamConnection) => {
  for (let i = 0; i < count; i++) {
    if (await connection.request() === undefined) return;
    await connection.write(answer("ok"));
  }
  if (await connection.request() === undefined) return;
  if (last !== "") await connection.write(last);
  connection.close();
};

/** As a caller does it: once more over a new connection where a kept one has ended. Tells how often that was. */
async function persistent({ post }: TransportRig, url: string): Promise<number> {
  try {
    assert.equal(await patiently((await post(url)).text(10)), "ok");
    return 0;
  } catch (error) {
    if (!(error instanceof KeptConnectionEnded)) throw error;
    assert.equal(await patiently((await post(url, { fresh: true })).text(10)), "ok");
    return 1;
  }
}

Deno.test("ConnectionPool tells of a kept connection that ended, and sends nothing twice by itself", async () => {
  await using server = upstreamServer(closesAfter(1));
  await using rig = transportRig();
  let resent = 0;
  for (let i = 0; i < 100; i++) {
    resent += await persistent(rig, server.url);
    if (i % 3 === 0) await rig.clock.advanceOnce(() => true, REUSE_DELAY_MS);
    await pause(i % 5);
  }
  assert.equal(server.requests, 100 + resent);
  assert.ok(resent > 0);
});

Deno.test("ConnectionPool carries 300 requests to a provider that closes idle connections after 5 ms", async () => {
  await using server = upstreamServer(async (connection) => {
    while (await connection.request() !== undefined) {
      await connection.write(answer("ok"));
      const before = connection.requests;
      setTimeout(() => connection.requests === before && connection.close(), 5);
    }
  });
  await using rig = transportRig();
  for (let i = 0; i < 300; i++) {
    await persistent(rig, server.url);
    await rig.clock.advanceOnce(() => true, REUSE_DELAY_MS);
    await pause(i % 8);
  }
  await pause(5);
});

Deno.test("ConnectionPool repeats nothing that failed on a new connection", async () => {
  await using server = upstreamServer(closesAfter(0));
  await using rig = transportRig();
  await assert.rejects(rig.post(server.url), { kind: "connection_reset" });
  assert.equal(server.requests, 1);
});

Deno.test("ConnectionPool uses no kept connection for a call that wants a new one", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  for (let i = 0; i < 3; i++) {
    await (await rig.post(server.url, { fresh: true })).text(10);
    await rig.kept();
  }
  assert.equal(server.connections.length, 3);
});

Deno.test("ConnectionPool repeats nothing once a byte of an answer has come", async () => {
  await using server = upstreamServer(closesAfter(1, "HTTP/1.1 200 OK\r\nconte"));
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await rig.kept();
  await assert.rejects(rig.post(server.url), { kind: "connection_reset" });
  await pause(20);
  assert.equal(server.requests, 2);
});

Deno.test("ConnectionPool repeats no request that was cut by its caller", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("ok"));
    await connection.request();
    await connection.gone();
  });
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await rig.kept();
  const abort = new AbortController();
  const reply = rig.post(server.url, { signal: abort.signal });
  await pause(20);
  abort.abort(new Error("cut"));
  await assert.rejects(reply, { message: "cut" });
  await pause(50);
  assert.equal(server.requests, 2);
  assert.equal(server.connections.length, 1);
});

Deno.test("ConnectionPool drops a connection that brings an answer nobody asked for", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("one"));
    await pause(10);
    await connection.write(answer("for somebody else"));
    await always(answer("late"))(connection);
  });
  await using rig = transportRig();
  for (let i = 0; i < 3; i++) {
    assert.equal(await (await rig.post(server.url)).text(100), "one");
    await pause(30);
  }
  assert.equal(server.connections.length, 3);
});

Deno.test("ConnectionPool drops a connection that brings two answers at once", async () => {
  await using server = upstreamServer(always(answer("one") + answer("two")));
  await using rig = transportRig();
  for (let i = 0; i < 3; i++) {
    assert.equal(await (await rig.post(server.url)).text(100), "one");
    await pause(5);
  }
  assert.equal(server.connections.length, 3);
});

/** Header that the provider announces, and how long its connection may be unused. */
const rests: readonly (readonly [announced: string, restMs: number])[] = [
  ["", 4_000],
  ["keep-alive: max=100\r\n", 4_000],
  ["keep-alive: timeout=5\r\n", 4_000],
  ["Keep-Alive: timeout=60, max=1000\r\n", 59_000],
  ["keep-alive: max=9,timeout = 2\r\n", 1_000],
  ['keep-alive: timeout="3"\r\n', 2_000],
  ["keep-alive: timeout=999999999999\r\n", 300_000],
];

for (const [headers, restMs] of rests) {
  const what = headers.trim() || "nothing";
  Deno.test(`ConnectionPool closes connections after ${restMs} ms without use where the provider announces ${what}`, async () => {
    await using server = upstreamServer(always(answer("ok", { headers })));
    await using rig = transportRig();
    await (await rig.post(server.url)).text(10);
    await rig.kept();
    await rig.clock.advanceOnce(() => rig.clock.open === 1, restMs - 1_000);
    await (await rig.post(server.url)).text(10);
    await rig.kept();
    await rig.clock.advanceOnce(() => rig.clock.open === 1, restMs - REUSE_DELAY_MS - 1);
    assert.equal(server.connections.length, 1);
    assert.equal(rig.clock.open, 1);
    await rig.clock.advanceOnce(() => rig.clock.open === 1, 1);
    await patiently(server.connections[0]?.gone() ?? Promise.reject());
    await pause(5);
    assert.equal(rig.clock.open, 0);
  });
}

Deno.test("ConnectionPool keeps no connection of a provider that closes it within a second", async () => {
  for (const timeout of [0, 1]) {
    const headers = `keep-alive: timeout=${timeout}\r\n`;
    await using server = upstreamServer(always(answer("ok", { headers })));
    await using rig = transportRig();
    await (await rig.post(server.url)).text(10);
    assert.equal(rig.clock.open, 0);
    await patiently(server.connections[0]?.gone() ?? Promise.reject());
  }
});

Deno.test("ConnectionPool uses no connection whose time is over although its deadline has not run", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await rig.kept();
  rig.clock.leap(4_000);
  await (await rig.post(server.url)).text(10);
  assert.equal(server.connections.length, 2);
});

Deno.test("ConnectionPool gives up connections that cannot be made within 10 s", async () => {
  // A full accept queue leaves further connections unanswered.
  const full = Deno.listen({ port: 0, hostname: "127.0.0.1", tcpBacklog: 1 });
  const { port } = full.addr as Deno.NetAddr;
  const waiting = await Promise.all(Array.from({ length: 2 }, () => Deno.connect({ port })));
  await using rig = transportRig();
  const reply = rig.post(`http://127.0.0.1:${port}`);
  const refused = assert.rejects(reply, { name: "TransportError", kind: "connect_timeout" });
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 9_999);
  assert.equal(rig.clock.open, 1);
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 1);
  await patiently(refused);
  await rig.clock.advanceOnce(turns, 1_000);
  await pause(5);
  assert.equal(rig.clock.open, 0);
  for (const conn of waiting) conn.close();
  full.close();
});

Deno.test("ConnectionPool closes its connections and fails their calls", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.gone();
  });
  const rig = transportRig();
  const reply = assert.rejects(rig.post(server.url), { message: /closed/ });
  await pause(20);
  await rig[Symbol.asyncDispose]();
  await patiently(reply);
});
