import assert from "node:assert/strict";
import { mock } from "node:test";
import { makeCertificates } from "../../../tests/support/upstream_certificates.ts";
import {
  always,
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  type UpstreamConnection,
  type UpstreamServer,
  upstreamServer,
} from "../../../tests/support/upstream_server.ts";
import { type TransportRig, transportRig } from "../../../tests/support/upstream_rig.ts";
import { pause, until } from "../../../tests/support/until.ts";
import { parseProxy } from "../../config/proxies.ts";
import { REUSE_DELAY_MS } from "./connections/reuse_delay.ts";
import { SINGLE_USE_MS, SingleUseOrigins } from "./connections/single_use_origins.ts";
import { UnrequestedBytes } from "./transport.ts";

const FOREIGN = answer("of somebody else");
const ONE = answer("one");

/** A way in which a provider sends bytes that nobody asked for. */
interface Stray {
  readonly what: string;
  /** Bytes that it sends for the first request of its first connection. */
  readonly first: string;
  /** Bytes that it sends there later, while the connection is unused. */
  readonly late?: string;
  readonly text?: string;
}

const strays: readonly Stray[] = [
  { what: "a response on an unused connection", first: ONE, late: FOREIGN },
  { what: "one byte on an unused connection", first: ONE, late: "\n" },
  { what: "the head of a response on an unused connection", first: ONE, late: FOREIGN.slice(0, 20) },
  {
    what: "a status of its own on an unused connection",
    first: ONE,
    late: answer("", { status: "408 Request Timeout", headers: "connection: close\r\n" }),
  },
  {
    what: "an interim response on an unused connection",
    first: ONE,
    late: "HTTP/1.1 103 Early Hints\r\n\r\n",
  },
  { what: "a response in the packet of the one before", first: ONE + FOREIGN },
  { what: "one byte in the packet of a response", first: `${ONE}\n` },
  { what: "a response behind the last chunk", first: CHUNKED + chunk("one") + LAST_CHUNK + FOREIGN },
  {
    what: "a response behind one that ends its connection",
    first: answer("one", { headers: "connection: close\r\n" }) + FOREIGN,
  },
  { what: "a response behind one of HTTP/1.0", first: ONE.replace("HTTP/1.1", "HTTP/1.0") + FOREIGN },
  { what: "a body where none may be", first: "HTTP/1.1 204 No Content\r\n\r\nbody", text: "" },
  { what: "a body longer than its length", first: `${ONE}more`, text: "one" },
];

/** Answers each request with "one", but the first of all as `stray` has it. */
function strayServer({ first, late }: Stray, released: Promise<void>) {
  let connections = 0;
  return async (connection: UpstreamConnection) => {
    const strange = connections++ === 0;
    for (let served = 0; await connection.request() !== undefined; served++) {
      await connection.write(strange && served === 0 ? first : ONE);
      if (!strange || served > 0 || late === undefined) continue;
      await released;
      await connection.write(late);
    }
  };
}

const call = async ({ post }: TransportRig, url: string, { credentialHash = "a" } = {}) =>
  await (await post(url, { credentialHash })).text(100);

interface Suspected {
  readonly rig: TransportRig;
  readonly server: UpstreamServer;
  readonly url: string;
}

/** Each connection to this origin is used once until ten minutes later, for all credentials; then they are kept again. */
async function assertSingleUse({ rig, server, url }: Suspected): Promise<void> {
  await until(() => rig.logged.length === 1, { what: "that it is logged" });
  await Promise.all(server.connections.map((connection) => connection.gone()));
  const before = server.connections.length;
  for (let i = 0; i < 4; i++) {
    assert.equal(await call(rig, url, { credentialHash: i < 2 ? "a" : "b" }), "one");
    await rig.kept();
  }
  assert.equal(server.connections.length, before + 4, "each connection is used once");
  assert.equal(rig.clock.open, 0, "none is kept");
  assert.ok(Number(rig.singleUse.secondsLeft(`${url}/v1`)) > 590);
  assert.equal(rig.logged.length, 1, "it is told once");
  const [{ message, fields }] = rig.logged as readonly [TransportRig["logged"][number]];
  assert.match(message, /^Provider sent bytes that belong to no request/);
  assert.deepEqual(fields, { address: new URL(url).origin, seconds: SINGLE_USE_MS / 1_000 });
  rig.clock.leap(SINGLE_USE_MS);
  assert.equal(rig.singleUse.secondsLeft(url), undefined);
  for (let i = 0; i < 3; i++) {
    assert.equal(await call(rig, url), "one");
    await rig.kept();
  }
  assert.equal(server.connections.length, before + 5, "they are kept again");
}

const certificates = await makeCertificates();

/** Ways to a provider; what speaks with the gateway misbehaves. */
const ways = ["direct", "over TLS", "through a plain proxy"] as const;

function rigFor(way: typeof ways[number], handle: Parameters<typeof upstreamServer>[0]): Suspected {
  if (way === "over TLS" && certificates !== undefined) {
    const server = upstreamServer(handle, { tls: certificates.good });
    const url = `https://localhost:${server.port}`;
    return { server, url, rig: transportRig({ caCerts: [certificates.authority] }) };
  }
  const server = upstreamServer(handle);
  if (way === "direct") return { server, url: server.url, rig: transportRig() };
  const proxy = parseProxy(server.url);
  assert("value" in proxy);
  const rig = transportRig({ findProxy: () => proxy.value });
  return { server, url: "http://provider.example", rig };
}

for (const way of ways) {
  for (const stray of strays) {
    Deno.test({
      name: `httpTransport ${way} uses connections once after ${stray.what}`,
      ignore: way === "over TLS" && certificates === undefined,
      fn: async () => {
        const { promise: released, resolve } = Promise.withResolvers<void>();
        const suspected = rigFor(way, strayServer(stray, released));
        await using server = suspected.server;
        await using rig = suspected.rig;
        const { url } = suspected;
        const other = await rig.post(url, { credentialHash: "late" });
        assert.equal(await other.text(100), stray.text ?? "one");
        if (stray.late !== undefined) {
          // Of another credential, and unused when it comes.
          assert.equal(await call(rig, url, { credentialHash: "b" }), "one");
          resolve();
        }
        await assertSingleUse({ rig, server, url });
      },
    });
  }
}

/** More than a socket takes before anybody reads. */
const long = "x".repeat(16_000_000);

Deno.test("httpTransport uses connections once after a response that begins before its request has left", async () => {
  let connections = 0;
  await using server = upstreamServer(async (connection) => {
    if (connections++ > 0) return await always(ONE)(connection);
    await connection.request();
    await connection.write(ONE);
    while (connection.pending < 1) await pause(1);
    await connection.write(FOREIGN);
    await connection.gone();
  });
  await using rig = transportRig();
  assert.equal(await call(rig, server.url), "one");
  await rig.kept();
  await assert.rejects(rig.post(server.url, { body: long, credentialHash: "a" }), UnrequestedBytes);
  await assertSingleUse({ rig, server, url: server.url });
});

Deno.test("httpTransport gives nobody what a suspected origin sends before it is asked", async () => {
  let talks = false;
  let talked = 0;
  await using server = upstreamServer(async (connection) => {
    if (talks) await connection.write(FOREIGN);
    if (talks) talked++;
    await always(ONE + FOREIGN)(connection);
  });
  await using rig = transportRig();
  assert.equal(await call(rig, server.url), "one");
  talks = true;
  const { connect } = Deno;
  const late = mock.method(Deno, "connect", async (options: Deno.ConnectOptions) => {
    const before = talked;
    const connection = await connect(options);
    await until(() => talked > before);
    return connection;
  });
  try {
    for (let i = 0; i < 3; i++) await assert.rejects(call(rig, server.url), UnrequestedBytes);
    assert.equal(server.requests, 1, "nothing is sent there");
  } finally {
    late.mock.restore();
  }
});

Deno.test("httpTransport uses connections before their delay is over only where there are many", async () => {
  await using server = upstreamServer(always(ONE));
  await using rig = transportRig({ connections: 12 });
  const turns = async () => {
    for (let turn = 0; turn < 4; turn++) await pause(0);
  };
  for (let i = 0; i < 3; i++) {
    await call(rig, server.url);
    await turns();
    assert.equal(server.connections.length, i + 1, "none is used again before its delay is over");
  }
  for (let i = 0; i < 3; i++) {
    await call(rig, server.url);
    await turns();
  }
  assert.equal(server.connections.length, 3);
  assert.deepEqual(
    server.connections.map(({ requests }) => requests),
    [2, 2, 2],
    "the longest unused one first",
  );
});

for (const passed of [REUSE_DELAY_MS - 1, REUSE_DELAY_MS]) {
  const soon = passed < REUSE_DELAY_MS;
  const what = soon ? "refuses" : "takes";
  Deno.test(`httpTransport ${what} a response ${passed} ms behind the one before from an origin that has sent one too many`, async () => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    let connections = 0;
    await using server = upstreamServer(async (connection) => {
      const first = connections++ === 0;
      for (let served = 0; await connection.request() !== undefined; served++) {
        if (first && served > 0) await released;
        await connection.write(first ? ONE : ONE + FOREIGN);
      }
    });
    await using rig = transportRig({ connections: 4 });
    await call(rig, server.url);
    for (let turn = 0; turn < 4; turn++) await pause(0);
    const early = call(rig, server.url);
    await until(() => server.requests === 2);
    assert.equal(await (await rig.post(server.url, { fresh: true })).text(100), "one");
    assert.equal(rig.logged.length, 1);
    rig.clock.leap(passed);
    resolve();
    if (soon) await assert.rejects(early, UnrequestedBytes);
    else assert.equal(await early, "one");
  });
}

Deno.test("SingleUseOrigins counts from the last byte on, and tells of each origin once", async () => {
  await using rig = transportRig();
  const { clock, singleUse, logged } = rig;
  const origins: SingleUseOrigins = singleUse;
  origins.add("https://one.example");
  clock.leap(SINGLE_USE_MS - 1);
  origins.add("https://one.example");
  origins.add("https://two.example");
  clock.leap(SINGLE_USE_MS - 1);
  assert.deepEqual(
    ["https://one.example/v1", "https://two.example", "https://three.example"].map((url) =>
      origins.secondsLeft(url)
    ),
    [1, 1, undefined],
  );
  assert.equal(logged.length, 2);
  clock.leap(1);
  assert.equal(origins.has("https://one.example"), false);
  origins.add("https://one.example");
  assert.equal(logged.length, 3);
});
