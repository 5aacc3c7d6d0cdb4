import assert from "node:assert/strict";
import {
  always,
  answer,
  type UpstreamConnection,
  upstreamServer,
} from "../../tests/support/upstream_server.ts";
import { pause, transportRig, within } from "../../tests/support/upstream_rig.ts";

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

Deno.test("Pool sends a request that met a stale connection once more, over a new one", async () => {
  await using server = upstreamServer(closesAfter(1));
  await using rig = transportRig();
  for (let i = 0; i < 100; i++) {
    assert.equal(await (await rig.post(server.url, { body: `${i}` })).text(10), "ok");
    await pause(0);
  }
});

Deno.test("Pool carries 300 requests to a provider that closes idle connections after 2 ms", async () => {
  await using server = upstreamServer(async (connection) => {
    while (await connection.request() !== undefined) {
      await connection.write(answer("ok"));
      const before = connection.requests;
      setTimeout(() => connection.requests === before && connection.close(), 2);
    }
  });
  await using rig = transportRig();
  for (let i = 0; i < 300; i++) {
    assert.equal(await within(2_000, (await rig.post(server.url)).text(10)), "ok");
    await pause(i % 5);
  }
  await pause(5);
});

Deno.test("Pool repeats nothing that failed on a new connection", async () => {
  await using server = upstreamServer(closesAfter(0));
  await using rig = transportRig();
  await assert.rejects(rig.post(server.url), { fault: "connection_reset" });
  assert.equal(server.requests, 1);
});

Deno.test("Pool repeats a request once, not twice", async () => {
  let stale = false;
  await using server = upstreamServer(async (connection) => {
    await closesAfter(stale ? 0 : 1)(connection);
  });
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await pause(5);
  stale = true;
  await assert.rejects(rig.post(server.url), { fault: "connection_reset" });
  assert.equal(server.requests, 3);
});

Deno.test("Pool repeats nothing once a byte of an answer has come", async () => {
  await using server = upstreamServer(closesAfter(1, "HTTP/1.1 200 OK\r\nconte"));
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await pause(5);
  await assert.rejects(rig.post(server.url), { fault: "connection_reset" });
  await pause(20);
  assert.equal(server.requests, 2);
});

Deno.test("Pool repeats no request that was cut by its caller", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("ok"));
    await connection.request();
    await connection.gone();
  });
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await pause(5);
  const abort = new AbortController();
  const reply = rig.post(server.url, { signal: abort.signal });
  await pause(20);
  abort.abort(new Error("cut"));
  await assert.rejects(reply, { message: "cut" });
  await pause(50);
  assert.equal(server.requests, 2);
  assert.equal(server.connections.length, 1);
});

Deno.test("Pool drops a connection that brings an answer nobody asked for", async () => {
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

Deno.test("Pool drops a connection that brings two answers at once", async () => {
  await using server = upstreamServer(always(answer("one") + answer("two")));
  await using rig = transportRig();
  for (let i = 0; i < 3; i++) {
    assert.equal(await (await rig.post(server.url)).text(100), "one");
    await pause(5);
  }
  assert.equal(server.connections.length, 3);
});

Deno.test("Pool closes connections unused for a minute", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  await (await rig.post(server.url)).text(10);
  await pause(5);
  await rig.clock.advance(59_000);
  await (await rig.post(server.url)).text(10);
  await pause(5);
  await rig.clock.advance(59_999);
  assert.equal(server.connections.length, 1);
  assert.equal(rig.clock.open, 1);
  await rig.clock.advance(1);
  await within(1_000, server.connections[0]?.gone() ?? Promise.reject());
  await pause(5);
  assert.equal(rig.clock.open, 0);
});

Deno.test("Pool gives up connections that cannot be made within 10 s", async () => {
  // A full accept queue leaves further connections unanswered.
  const full = Deno.listen({ port: 0, hostname: "127.0.0.1", tcpBacklog: 1 });
  const { port } = full.addr as Deno.NetAddr;
  const waiting = await Promise.all(Array.from({ length: 2 }, () => Deno.connect({ port })));
  await using rig = transportRig();
  const reply = rig.post(`http://127.0.0.1:${port}`);
  const refused = assert.rejects(reply, { name: "TransportError", fault: "connect_timeout" });
  await pause(50);
  await rig.clock.advance(9_999);
  assert.equal(rig.clock.open, 1);
  await rig.clock.advance(1);
  await within(1_000, refused);
  await rig.clock.advance(1_000);
  await pause(5);
  assert.equal(rig.clock.open, 0);
  for (const conn of waiting) conn.close();
  full.close();
});

Deno.test("Pool closes its connections and fails their calls", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.gone();
  });
  const rig = transportRig();
  const reply = assert.rejects(rig.post(server.url), { message: /closed/ });
  await pause(20);
  await rig[Symbol.asyncDispose]();
  await within(1_000, reply);
});
