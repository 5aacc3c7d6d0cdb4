import assert from "node:assert/strict";
import { REUSE_DELAY_MS } from "./connections/reuse_delay.ts";
import {
  type Certificate,
  type Certificates,
  makeCertificates,
} from "../../../tests/support/upstream_certificates.ts";
import { always, answer, chunk, CHUNKED, upstreamServer } from "../../../tests/support/upstream_server.ts";
import { drain, transportRig } from "../../../tests/support/upstream_rig.ts";
import { patiently, pause, settled } from "../../../tests/support/until.ts";
import { connectionFailure } from "./connections/connection_failure.ts";

const certificates = await makeCertificates();

function secureTest(name: string, run: (made: Certificates) => Promise<void>): void {
  Deno.test({
    name,
    ignore: certificates === undefined,
    fn: () => certificates === undefined ? Promise.resolve() : run(certificates),
  });
}

const trusting = ({ authority }: Certificates) => transportRig({ caCerts: [authority] });

secureTest("a secure connection is kept, and streams", async (made) => {
  await using server = upstreamServer(async (connection) => {
    for (let i = 0; i < 3; i++) {
      await connection.request();
      await connection.write(answer("ok"));
    }
    await connection.request();
    await connection.write(CHUNKED + chunk("data: 1\n\n"));
    await pause(10);
    await connection.write(`${chunk("data: 2\n\n")}0\r\n\r\n`);
  }, { tls: made.good });
  await using rig = trusting(made);
  const url = `https://localhost:${server.port}/v1`;
  for (let i = 0; i < 3; i++) {
    assert.equal(await (await rig.post(url)).text(10), "ok");
    await rig.kept();
  }
  assert.equal(await drain(await rig.post(url)), "data: 1\n\ndata: 2\n\n");
  assert.equal(server.connections.length, 1);
});

secureTest("a secure connection goes by an address, too", async (made) => {
  await using server = upstreamServer(always(answer("ok")), { tls: made.good });
  await using rig = trusting(made);
  assert.equal(await (await rig.post(server.url)).text(10), "ok");
});

secureTest("a secure connection that was kept and has ended is told of", async (made) => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("ok"));
    await connection.request();
    connection.close();
  }, { tls: made.good });
  await using rig = trusting(made);
  const url = `https://localhost:${server.port}`;
  for (let i = 0; i < 10; i++) {
    assert.equal(await patiently((await rig.post(url, { fresh: true })).text(10)), "ok");
    await rig.kept();
    await assert.rejects(rig.post(url), { name: "TransportError", message: /a kept connection/ });
  }
});

secureTest("a secure connection is closed after 50 s without use", async (made) => {
  await using server = upstreamServer(always(answer("ok")), { tls: made.good });
  await using rig = trusting(made);
  const url = `https://localhost:${server.port}`;
  await (await rig.post(url)).text(10);
  await rig.kept();
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 49_999 - REUSE_DELAY_MS);
  assert.equal(rig.clock.open, 1);
  await rig.clock.advanceOnce(() => rig.clock.open === 1, 1);
  await patiently(server.connections[0]?.gone() ?? Promise.reject());
});

secureTest("a secure connection is closed by a cut, which repeats nothing", async (made) => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("ok"));
    await connection.request();
    await connection.gone();
  }, { tls: made.good });
  await using rig = trusting(made);
  const url = `https://localhost:${server.port}`;
  await (await rig.post(url)).text(10);
  await rig.kept();
  const abort = new AbortController();
  const reply = assert.rejects(rig.post(url, { signal: abort.signal }), { message: "cut" });
  await pause(20);
  abort.abort(new Error("cut"));
  await patiently(reply);
  await patiently(server.connections[0]?.gone() ?? Promise.reject());
  await pause(20);
  assert.equal(server.requests, 2);
});

secureTest("S6 a secure upstream is stopped by a reader that reads nothing", async (made) => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(CHUNKED);
    for (;;) await connection.write(chunk("x".repeat(65_536)));
  }, { tls: made.good });
  await using rig = trusting(made);
  const before = Deno.memoryUsage().rss;
  const reply = await rig.post(`https://localhost:${server.port}`);
  await reply.read();
  const taken = await settled(() => server.connections[0]?.written ?? 0);
  await pause(200);
  assert.equal(server.connections[0]?.written, taken);
  assert.ok(taken < 32_000_000, `took ${taken} bytes`);
  assert.ok(Deno.memoryUsage().rss - before < 192_000_000);
  reply.discard();
});

secureTest("a cut secure answer rejects", async (made) => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
    connection.close();
  }, { tls: made.good });
  await using rig = trusting(made);
  const reply = await rig.post(`https://localhost:${server.port}`);
  await assert.rejects(patiently(reply.text(100)), { kind: "cut" });
});

const untrusted: readonly (readonly [string, (made: Certificates) => Certificate, boolean])[] = [
  ["signed by itself", (made) => made.selfSigned, true],
  ["signed by itself, with the built-in trust", (made) => made.selfSigned, false],
  ["signed by an unknown authority", (made) => made.good, false],
  ["made out to somebody else", (made) => made.elsewhere, true],
  ["expired", (made) => made.expired, true],
];

for (const [what, certificate, trusted] of untrusted) {
  secureTest(`U5 a provider whose certificate is ${what} is refused`, async (made) => {
    await using server = upstreamServer(always(answer("ok")), { tls: certificate(made) });
    await using rig = trusted ? trusting(made) : transportRig();
    for (const host of ["localhost", "127.0.0.1"]) {
      const error = await rig.post(`https://${host}:${server.port}`).then(() => undefined, (error) => error);
      assert.equal(connectionFailure(error).code, "tls", String(error));
    }
    assert.equal(server.requests, 0);
  });
}

secureTest("U5 a handshake that never ends is given up after 10 s", async () => {
  await using server = upstreamServer((connection) => connection.gone());
  await using rig = transportRig();
  const reply = rig.post(`https://localhost:${server.port}`);
  const refused = assert.rejects(reply, { kind: "connect_timeout" });
  await rig.clock.advanceOnce(() => rig.clock.open === 1 && server.connections.length === 1, 10_000);
  await patiently(refused);
});
