import assert from "node:assert/strict";
import {
  always,
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  upstreamServer,
} from "../../../tests/support/upstream_server.ts";
import { drain, transportRig } from "../../../tests/support/upstream_rig.ts";
import { patiently, pause } from "../../../tests/support/until.ts";

Deno.test("httpTransport sends the request as told, and asks for no compression", async () => {
  let seen: string | undefined;
  await using server = upstreamServer(async (connection) => {
    seen = await connection.request();
    await connection.write(answer("{}"));
  });
  await using rig = transportRig();
  const headers = { authorization: "Bearer key", "x-name": "v" };
  const reply = await rig.post(`${server.url}/v1/chat?x=1`, { headers, body: '{"a":"ü"}' });
  assert.equal(reply.status, 200);
  assert.equal(await reply.text(10), "{}");
  const [head = "", body = ""] = (seen ?? "").split("\r\n\r\n");
  const lines = head.split("\r\n");
  assert.equal(lines[0], "POST /v1/chat?x=1 HTTP/1.1");
  assert.deepEqual(
    lines.slice(1).map((line) => line.toLowerCase()).sort(),
    [
      "accept-encoding: identity",
      "authorization: bearer key",
      "content-length: 10",
      `host: 127.0.0.1:${server.port}`,
      "x-name: v",
    ],
  );
  assert.equal(body, '{"a":"ü"}');
});

Deno.test("httpTransport keeps its connection between calls", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  for (let i = 0; i < 20; i++) {
    const reply = await rig.post(server.url);
    assert.equal(await reply.text(10), "ok");
    await rig.kept();
  }
  assert.equal(server.connections.length, 1);
});

Deno.test("httpTransport answers 50 calls at once with their own answers", async () => {
  await using server = upstreamServer(async (connection) => {
    for (let one = await connection.request(); one !== undefined; one = await connection.request()) {
      await connection.write(answer(one.slice(one.indexOf("\r\n\r\n") + 4)));
    }
  });
  await using rig = transportRig();
  const one = async (body: string) =>
    assert.equal(await (await rig.post(server.url, { body })).text(100), body);
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => one(`body ${round} ${i}`)));
    await rig.kept();
  }
  assert.equal(server.connections.length, 50);
});

Deno.test("httpTransport reads whole bodies that come in pieces, of any length", async () => {
  const long = "ü".repeat(400_000);
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer(""));
    await connection.request();
    const text = answer(long);
    await connection.write(text.slice(0, 5_000));
    await pause(20);
    await connection.write(text.slice(5_000));
    await connection.request();
    await connection.write(CHUNKED + chunk("a"));
    await pause(20);
    await connection.write(chunk("b") + LAST_CHUNK);
    await connection.request();
    await connection.write("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    connection.close();
  });
  await using rig = transportRig();
  for (const body of ["", long, "ab", "until the end"]) {
    assert.equal(await (await rig.post(server.url)).text(1_000_000), body);
    await rig.kept();
  }
  assert.equal(server.connections.length, 1);
});

Deno.test("httpTransport refuses a whole body past its cap, told of beforehand or not", async () => {
  for (const text of [answer("123456"), CHUNKED + chunk("123") + chunk("456") + LAST_CHUNK]) {
    await using server = upstreamServer(always(text));
    await using rig = transportRig();
    const reply = await rig.post(server.url);
    await assert.rejects(reply.text(5), { name: "ResponseTooLarge" });
    assert.equal(await (await rig.post(server.url)).text(6), "123456");
  }
});

Deno.test("httpTransport hands a stream up as it comes", async () => {
  const { promise: first, resolve } = Promise.withResolvers<void>();
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(CHUNKED + chunk("data: 1\n\n"));
    await first;
    await connection.write(chunk("data: 2\n\n") + LAST_CHUNK);
    await always(answer("next"))(connection);
  });
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  assert.equal(new TextDecoder().decode(await patiently(reply.read())), "data: 1\n\n");
  resolve();
  assert.equal(await drain(reply), "data: 2\n\n");
  assert.equal(await reply.read(), undefined);
  await rig.kept();
  assert.equal(await (await rig.post(server.url)).text(10), "next");
  assert.equal(server.connections.length, 1);
});

Deno.test("httpTransport finds headers in any spelling, repeated ones joined", async () => {
  const headers = "X-Many: 1\r\nContent-Type: text/plain\r\nx-many: 2\r\nset-cookie: a\r\nset-cookie: b\r\n";
  await using server = upstreamServer(always(answer("", { headers })));
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  assert.equal(reply.header("x-many"), "1, 2");
  assert.equal(reply.header("CONTENT-type"), "text/plain");
  assert.equal(reply.header("set-cookie"), "a, b");
  for (const name of ["missing", "constructor", "__proto__"]) assert.equal(reply.header(name), null);
  reply.discard();
});

Deno.test("httpTransport follows no redirect", async () => {
  await using server = upstreamServer(
    always(answer("", { status: "307 Temporary", headers: "location: /elsewhere\r\n" })),
  );
  await using rig = transportRig();
  const reply = await rig.post(server.url);
  assert.equal(reply.status, 307);
  reply.discard();
  assert.equal(server.requests, 1);
});

Deno.test("httpTransport steps over early and informational answers", async () => {
  await using server = upstreamServer(
    always(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${answer("ok")}`),
  );
  await using rig = transportRig();
  assert.equal(await (await rig.post(server.url)).text(10), "ok");
});

Deno.test("httpTransport reaches an IPv6 literal", async () => {
  let seen: string | undefined;
  await using server = upstreamServer(async (connection) => {
    seen = await connection.request();
    await connection.write(answer("six"));
  }, { hostname: "::1" });
  await using rig = transportRig();
  assert.equal(await (await rig.post(`${server.url}/x`)).text(10), "six");
  assert.match(seen ?? "", new RegExp(`host: \\[::1\\]:${server.port}\r\n`));
});

Deno.test("httpTransport rejects what HTTP cannot carry, and other schemes", async () => {
  await using server = upstreamServer(always(answer("ok")));
  await using rig = transportRig();
  const headers = [["x-a", "b\r\nx-c: d"], ["x-a", "b\0"], ["x-a", "ü"], ["x a", "b"], ["", "b"]];
  for (const one of headers) {
    await assert.rejects(rig.post(server.url, { headers: Object.fromEntries([one]) }), TypeError);
  }
  for (const url of ["ftp://127.0.0.1/", "nothing", ""]) await assert.rejects(rig.post(url), TypeError);
  assert.equal(server.requests, 0);
});

Deno.test("httpTransport hands up an answer that comes before the body was read", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.write(answer("too long", { status: "413 Too Large", headers: "connection: close\r\n" }));
    await connection.gone();
  });
  await using rig = transportRig();
  const reply = await rig.post(server.url, { body: "x".repeat(8_000_000) });
  assert.equal(reply.status, 413);
  assert.equal(await patiently(reply.text(100)), "too long");
});
