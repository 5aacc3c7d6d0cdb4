/** Tunnels of a command: what passes, and at which limits they end. */

import assert from "node:assert/strict";
import { IDLE_MS, LIFE_MS } from "../../server/sandbox/bubblewrap/network/connection_watch.ts";
import { MAX_FETCHED_BYTES } from "../../server/sandbox/messages.ts";
import { clientHello, extension, serverName } from "../support/client_hello.ts";
import { connectTo, Program, proxyRig } from "../support/proxy_program.ts";
import { answer, upstreamServer } from "../support/upstream_server.ts";
import { until } from "../support/until.ts";

const HELLO = Uint8Array.from(clientHello(serverName("example.com")));
const MADE = "HTTP/1.1 200 Connection established\r\n\r\n";

/** Opens a tunnel, and sends the first message through it. */
async function tunnel(rig: ReturnType<typeof proxyRig>, hello = HELLO): Promise<Program> {
  const program = new Program(rig.proxy);
  await program.send(connectTo("example.com:443"));
  await until(() => program.heard.startsWith(MADE), { what: "the tunnel" });
  await program.send(hello);
  return program;
}

Deno.test("a tunnel passes bytes both ways, and ends with either side", async () => {
  await using server = upstreamServer(async (connection) => {
    await until(() => connection.pending === HELLO.length + 4, { what: "what was sent" });
    await connection.write("said");
    connection.close();
  });
  const rig = proxyRig({ port: server.port });
  const program = await tunnel(rig);
  await program.send("told");
  await until(() => program.hasEnded, { what: "the end" });
  assert.equal(program.heard, `${MADE}said`);
  program.end();
  await program.done;
  assert.deepEqual(
    rig.connected.map(({ hostname, port, address, raw }) => ({ hostname, port, address, raw })),
    [
      { hostname: "example.com", port: 443, address: "93.184.215.14", raw: true },
    ],
  );
  assert.deepEqual([rig.proxy.notes, rig.clock.open], [[], 0]);
});

Deno.test("a tunnel leads to the address that was checked, whatever the name resolves to next", async () => {
  await using server = upstreamServer(() => {});
  const rig = proxyRig({ port: server.port, names: { "example.com": [["8.8.8.8"], ["127.0.0.1"]] } });
  const first = await tunnel(rig);
  rig.proxy.close();
  await first.done;
  assert.deepEqual(rig.connected.map(({ address }) => address), ["8.8.8.8"]);
  const next = new Program(proxyRig({ names: { "example.com": [["127.0.0.1"]] } }).proxy);
  await next.send(connectTo("example.com:443"));
  await until(() => next.hasEnded, { what: "the refusal" });
  assert.match(next.heard, /^HTTP\/1\.1 403 example\.com is not on the public Internet\./);
});

const strangers: Readonly<Record<string, readonly number[]>> = {
  "another server": clientHello(serverName("evil.example")),
  "a server below": clientHello(serverName("www.example.com")),
  "no server": clientHello(),
  "a hidden server": clientHello(serverName("example.com"), extension(0xfe0d, [0])),
  "something else than TLS": [...new TextEncoder().encode("SSH-2.0-OpenSSH\r\n")],
};

for (const [what, bytes] of Object.entries(strangers)) {
  Deno.test(`no byte passes a tunnel that is meant for ${what}`, async () => {
    await using server = upstreamServer((connection) => connection.gone());
    const rig = proxyRig({ port: server.port });
    const program = await tunnel(rig, Uint8Array.from(bytes));
    await until(() => program.isClosed, { what: "the end" });
    await program.done;
    assert.equal(program.heard, MADE);
    assert.equal(server.connections[0]?.pending, 0);
    assert.match(rig.proxy.notes.join(), /^Only TLS to example\.com may pass through its tunnel: /);
  });
}

Deno.test("a tunnel carries 10 MiB, both directions together", async () => {
  await using server = upstreamServer((connection) => connection.gone());
  const rig = proxyRig({ port: server.port });
  const program = await tunnel(rig);
  await program.send(new Uint8Array(MAX_FETCHED_BYTES - HELLO.length));
  assert.equal(program.isClosed, false);
  await program.send(new Uint8Array(1));
  await until(() => program.isClosed, { what: "the end" });
  await program.done;
  assert.deepEqual(rig.proxy.notes, ["A connection carries 10 MiB: it was closed."]);
});

Deno.test("a server that never ends is stopped by a program that does not read, and by the limit", async () => {
  await using server = upstreamServer(async (connection) => {
    for (;;) await connection.write(new Uint8Array(64 * 1024));
  });
  const rig = proxyRig({ port: server.port });
  const slow = new Program(rig.proxy, "nothing");
  await slow.send(connectTo("example.com:443"));
  await until(() => slow.heard === MADE, { what: "the tunnel" });
  slow.take();
  await slow.send(HELLO);
  await until(() => slow.heard.length > MADE.length, { what: "the first bytes" });
  const before = slow.heard.length;
  assert(before <= MADE.length + 64 * 1024, `${before} bytes came unasked`);
  const eager = await tunnel(rig);
  await until(() => eager.isClosed, { what: "the limit" });
  assert.equal(slow.heard.length, before);
  assert(eager.heard.length <= MAX_FETCHED_BYTES + MADE.length);
  rig.proxy.close();
  await Promise.all([slow.done, eager.done]);
  assert.equal(rig.clock.open, 0);
});

for (const [what, ms] of [["is idle", IDLE_MS], ["lasts too long", LIFE_MS]] as const) {
  Deno.test(`a tunnel that ${what} ends, with its server's connection`, async () => {
    await using server = upstreamServer((connection) => connection.gone());
    const rig = proxyRig({ port: server.port });
    const program = await tunnel(rig);
    await until(() => server.connections[0]?.pending === HELLO.length, { what: "the first message" });
    for (let passed = IDLE_MS - 1; ms === LIFE_MS && passed < LIFE_MS; passed += IDLE_MS - 1) {
      await rig.clock.advanceOnce(() => true, IDLE_MS - 1);
      if (!program.isClosed) await program.send("x");
    }
    await rig.clock.advanceOnce(() => true, IDLE_MS);
    await program.done;
    await server.connections[0]?.gone();
    assert.match(rig.proxy.notes.join(), ms === IDLE_MS ? /nothing was sent for 30 s/ : /may last 120 s/);
  });
}

Deno.test("a program that asks for nothing is closed, and a command's end closes all", async () => {
  const rig = proxyRig();
  const [silent, half] = [new Program(rig.proxy), new Program(rig.proxy)];
  await half.send("GET https://exa");
  await rig.clock.advanceOnce(() => true, IDLE_MS);
  await Promise.all([silent.done, half.done]);
  const late = new Program(rig.proxy);
  rig.proxy.close();
  await late.done;
  assert.deepEqual([late.isClosed, rig.clock.open], [true, 0]);
  const behind = new Program(rig.proxy);
  await behind.done;
  assert.equal(behind.isClosed, true);
});

Deno.test("a command makes 10 requests, tunnels and pages together", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(answer("page"));
  });
  const rig = proxyRig({ port: server.port, policy: { allowHttp: true } });
  const heard: string[] = [];
  for (let number = 0; number < 11; number++) {
    const program = new Program(rig.proxy);
    await program.send(
      number % 2 === 0 ? "GET http://example.com/ HTTP/1.0\r\n\r\n" : connectTo("example.org:443"),
    );
    await until(() => program.hasEnded, { what: "an answer" });
    program.end();
    await program.done;
    heard.push(program.heard);
  }
  assert.equal(heard[8], "HTTP/1.1 200 \r\ncontent-length: 4\r\nconnection: close\r\n\r\npage");
  assert.match(heard[9] ?? "", /403 The request does not allow example\.org/);
  assert.match(heard[10] ?? "", /403 A command may make 10 requests\./);
});

Deno.test("HEAD tells of a page without it, and a server that fails is 502", async () => {
  await using server = upstreamServer(async (connection) => {
    const request = await connection.request();
    if (request?.includes("/broken") === true) return connection.close();
    await connection.write(answer("page", { headers: "content-type: text/plain\r\n" }));
  });
  const rig = proxyRig({ port: server.port, policy: { allowHttp: true } });
  const ask = async (request: string) => {
    const program = new Program(rig.proxy);
    await program.send(request);
    await until(() => program.hasEnded, { what: "an answer" });
    program.end();
    await program.done;
    return program.heard;
  };
  assert.equal(
    await ask("HEAD http://example.com/ HTTP/1.0\r\n\r\n"),
    "HTTP/1.1 200 \r\ncontent-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\n",
  );
  assert.match(
    await ask("GET http://example.com/broken HTTP/1.0\r\n\r\n"),
    /^HTTP\/1\.1 502 The response of example\.com broke/,
  );
});
