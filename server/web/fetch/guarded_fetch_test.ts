import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { fakeClock } from "../../../tests/support/clock.ts";
import { makeCertificates } from "../../../tests/support/upstream_certificates.ts";
import { type UpstreamConnection, upstreamServer } from "../../../tests/support/upstream_server.ts";
import { until } from "../../../tests/support/until.ts";
import { connect, type Destination } from "../../providers/upstream/connections/connect.ts";
import { noProxies } from "../../providers/upstream/proxy_rules.ts";
import { FetchError, type FetchErrorKind } from "./fetch_error.ts";
import { createGuardedFetch, type FetchInput, MAX_BODY_BYTES } from "./guarded_fetch.ts";
import type { FetchPolicy } from "./fetch_target.ts";

const PUBLIC = "93.184.215.14";

interface RigOptions {
  readonly policy?: Partial<FetchPolicy>;
  /** Name → addresses of each resolution, the last one for ever. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The port of this machine that stands for every address. */
  readonly port?: number;
  readonly caCerts?: readonly string[];
}

/** A guarded fetch whose connections, after every check, end at one port of this machine. */
function rig({ policy, names = {}, port = 0, caCerts }: RigOptions = {}) {
  const clock = fakeClock();
  const connected: Destination[] = [];
  const resolved: string[] = [];
  const fetch = createGuardedFetch({
    clock,
    policy: { allowHttp: true, allowedHosts: [], ...policy },
    findProxy: noProxies,
    resolve: (name) => {
      resolved.push(name);
      const answers = names[name] ?? [[PUBLIC]];
      return Promise.resolve(answers[Math.min(resolved.length, answers.length) - 1] ?? []);
    },
    connect: (to, options) => {
      connected.push(to);
      return connect({ ...to, address: "127.0.0.1", port, caCerts }, options);
    },
  });
  const get = (url: string, changes: Partial<FetchInput> = {}) =>
    fetch({ url, accepts: () => true, signal: new AbortController().signal, ...changes });
  return { clock, connected, resolved, get };
}

async function failsAs(kind: FetchErrorKind, call: Promise<unknown>): Promise<FetchError> {
  const error = await call.then(() => assert.fail("It was fetched"), (error: unknown) => error);
  assert(error instanceof FetchError, String(error));
  assert.equal(error.kind, kind, error.message);
  return error;
}

const answers = (...texts: readonly string[]) => async (connection: UpstreamConnection) => {
  for (const text of texts) {
    await connection.request();
    await connection.write(text);
  }
};

const OK = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
const hello = `${OK}content-length: 5\r\n\r\nhello`;
const text = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

const forbiddenHosts = [
  "127.0.0.1",
  "2130706433",
  "017700000001",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "0",
  "0.0.0.0",
  "127.0.0.1.",
  "１２７.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "2852039166",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0:7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "metadata.google.internal",
  "Metadata.Google.Internal.",
  "metadata.goog",
  "printer.local",
  "router.lan",
  "nas.home.arpa",
  "redis",
  "intranet.corp",
];

for (const host of forbiddenHosts) {
  Deno.test(`guarded fetch refuses the host ${host} before it resolves or connects`, async () => {
    const { get, connected, resolved } = rig();
    await failsAs("forbidden_host", get(`http://${host}/`));
    assert.deepEqual([connected, resolved], [[], []]);
  });
}

const badUrls: readonly (readonly [what: string, url: string])[] = [
  ["no URL", "nothing"],
  ["a relative URL", "/etc/passwd"],
  ["a file", "file:///etc/passwd"],
  ["another scheme", "gopher://example.com/"],
  ["data", "data:text/plain,x"],
  ["a user", "https://user@example.com/"],
  ["a password", "https://:secret@example.com/"],
  ["another port", "https://example.com:22/"],
  ["the port of the other scheme", "http://example.com:443/"],
];

for (const [what, url] of badUrls) {
  Deno.test(`guarded fetch refuses ${what}`, async () => {
    const { get, connected } = rig();
    const { message } = await failsAs("invalid_url", get(url));
    assert.doesNotMatch(message, /secret/);
    assert.deepEqual(connected, []);
  });
}

Deno.test("guarded fetch refuses http unless the operator allows it", async () => {
  const { get } = rig({ policy: { allowHttp: false } });
  await failsAs("invalid_url", get("http://example.com/"));
});

for (const addresses of [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["2606:4700::1", "::1"], ["0.0.0.0"]]) {
  Deno.test(`guarded fetch refuses a name that resolves to ${addresses.join(" and ")}`, async () => {
    const { get, connected } = rig({ names: { "example.com": [addresses] } });
    await failsAs("forbidden_host", get("http://example.com/"));
    assert.deepEqual(connected, []);
  });
}

Deno.test("guarded fetch connects to the address that it checked, whatever the name resolves to next", async () => {
  await using server = upstreamServer(answers(hello));
  const names = { "rebind.example": [[PUBLIC], ["127.0.0.1"]] };
  const { get, connected, resolved } = rig({ port: server.port, names });
  const { body, status, url } = await get("http://rebind.example/page?q=1#part");
  assert.deepEqual([status, text(body), url], [200, "hello", "http://rebind.example/page?q=1"]);
  assert.deepEqual(resolved, ["rebind.example"]);
  assert.deepEqual(connected.map(({ hostname, address }) => [hostname, address]), [[
    "rebind.example",
    PUBLIC,
  ]]);
});

Deno.test("guarded fetch sends the name as host, and no credential", async () => {
  let request = "";
  await using server = upstreamServer(async (connection) => {
    request = await connection.request() ?? "";
    await connection.write(hello);
  });
  await rig({ port: server.port }).get("http://Example.com/a%20b");
  assert.match(request, /^GET \/a%20b HTTP\/1\.1\r\nhost: example\.com\r\n/);
  assert.doesNotMatch(request, /authorization|cookie|content-length/i);
});

Deno.test("guarded fetch verifies the certificate of the name over the address that it checked", async () => {
  const certificates = await makeCertificates();
  if (certificates === undefined) return;
  const caCerts = [certificates.authority];
  await using server = upstreamServer(answers(hello), { tls: certificates.elsewhere });
  const good = rig({ port: server.port, caCerts });
  assert.equal(text((await good.get("https://other.example/")).body), "hello");
  await failsAs("tls", rig({ port: server.port, caCerts }).get("https://example.com/"));
});

const redirectsTo = (location: string) =>
  `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\nset-cookie: a=b\r\n\r\n`;

for (const location of ["http://127.0.0.1/", "http://[::1]/", "//2130706433/", "http://metadata.goog/"]) {
  Deno.test(`guarded fetch follows no redirect to ${location}`, async () => {
    await using server = upstreamServer(answers(redirectsTo(location)));
    const { get, connected } = rig({ port: server.port });
    await failsAs("forbidden_host", get("http://example.com/"));
    assert.equal(connected.length, 1);
  });
}

Deno.test("guarded fetch checks what every redirect resolves to", async () => {
  await using server = upstreamServer(answers(redirectsTo("http://inside.example/")));
  const names = { "example.com": [[PUBLIC]], "inside.example": [["192.168.0.1"]] };
  const { get, connected } = rig({ port: server.port, names });
  await failsAs("forbidden_host", get("http://example.com/"));
  assert.equal(connected.length, 1);
});

Deno.test("guarded fetch refuses redirects to other schemes and ports, and to what is no URL", async () => {
  for (const location of ["file:///etc/passwd", "http://example.com:22/", "http://user@example.com/"]) {
    await using server = upstreamServer(answers(redirectsTo(location)));
    await failsAs("invalid_url", rig({ port: server.port }).get("http://example.com/"));
  }
  await using server = upstreamServer(answers(redirectsTo("http://[/")));
  await failsAs("bad_response", rig({ port: server.port }).get("http://example.com/"));
});

Deno.test("guarded fetch follows five redirects and names the last address", async () => {
  const requests: string[] = [];
  await using server = upstreamServer(async (connection) => {
    requests.push(await connection.request() ?? "");
    await connection.write(requests.length <= 5 ? redirectsTo(`/${requests.length}`) : hello);
  });
  const { url, body } = await rig({ port: server.port }).get("http://example.com/0");
  assert.deepEqual([url, text(body)], ["http://example.com/5", "hello"]);
  assert(requests.every((request) => !/cookie/i.test(request)));
});

Deno.test("guarded fetch ends an endless chain of redirects", async () => {
  await using server = upstreamServer(answers(redirectsTo("/")));
  const { get, connected } = rig({ port: server.port });
  await failsAs("too_many_redirects", get("http://example.com/"));
  assert.equal(connected.length, 6);
});

Deno.test("guarded fetch returns a redirect without a location, and an error status, as they are", async () => {
  for (const status of ["302 Found", "404 Not Found", "503 Busy"]) {
    await using server = upstreamServer(answers(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nno`));
    const reply = await rig({ port: server.port }).get("http://example.com/");
    assert.deepEqual([reply.status, text(reply.body)], [Number(status.slice(0, 3)), "no"]);
  }
});

Deno.test("guarded fetch decodes a compressed body, and bounds what it decodes to", async () => {
  const send = (plain: Uint8Array) => async (connection: UpstreamConnection) => {
    await connection.request();
    const body = gzipSync(plain);
    await connection.write(`${OK}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
    await connection.write(body);
  };
  await using small = upstreamServer(send(new TextEncoder().encode("hello")));
  assert.equal(text((await rig({ port: small.port }).get("http://example.com/")).body), "hello");
  await using whole = upstreamServer(send(new Uint8Array(MAX_BODY_BYTES)));
  assert.equal((await rig({ port: whole.port }).get("http://example.com/")).body?.length, MAX_BODY_BYTES);
  await using bomb = upstreamServer(send(new Uint8Array(MAX_BODY_BYTES + 1)));
  await failsAs("too_large", rig({ port: bomb.port }).get("http://example.com/"));
});

Deno.test("guarded fetch ends an endless body once it is too large", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(`${OK}\r\n`);
    for (;;) await connection.write("a".repeat(65_536));
  });
  await failsAs("too_large", rig({ port: server.port }).get("http://example.com/"));
});

Deno.test("guarded fetch gives up after 20 s, whatever it waits for", async () => {
  const silent = rig({ port: 0 });
  const stuck = createGuardedFetch({
    clock: silent.clock,
    policy: { allowHttp: true, allowedHosts: [] },
    findProxy: noProxies,
    resolve: () => new Promise(() => {}),
    connect,
  });
  const signal = new AbortController().signal;
  const resolving = failsAs("timeout", stuck({ url: "http://example.com/", accepts: () => true, signal }));
  await silent.clock.advanceOnce(() => silent.clock.open === 1, 20_000);
  await resolving;
  for (const sent of ["", "HTTP/1.1 200", `${OK}content-length: 5\r\n\r\nhel`]) {
    await using server = upstreamServer(async (connection) => {
      await connection.request();
      await connection.write(sent);
    });
    const { get, clock } = rig({ port: server.port });
    const waiting = failsAs("timeout", get("http://example.com/"));
    await until(() => server.connections.some(({ written }) => written >= sent.length));
    await clock.advanceOnce(() => server.requests === 1, 20_000);
    await waiting;
    assert.equal(clock.open, 0);
  }
});

Deno.test("guarded fetch ends with its caller's reason", async () => {
  await using server = upstreamServer(async (connection) => void await connection.request());
  const { get, clock } = rig({ port: server.port });
  const abort = new AbortController();
  const waiting = get("http://example.com/", { signal: abort.signal });
  await until(() => server.requests === 1);
  abort.abort(new Error("left"));
  await assert.rejects(waiting, /^Error: left$/);
  await assert.rejects(get("http://example.com/", { signal: abort.signal }), /^Error: left$/);
  assert.equal(clock.open, 0);
});

Deno.test("guarded fetch reads no body whose type is not accepted", async () => {
  await using server = upstreamServer(
    answers("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 9\r\n\r\n"),
  );
  const accepts = (type: string) => type.startsWith("text/");
  const { body, contentType, announcedSize } = await rig({ port: server.port }).get("http://example.com/", {
    accepts,
  });
  assert.deepEqual([body, contentType, announcedSize], [undefined, "image/png", 9]);
});

const broken: readonly (readonly [what: string, kind: FetchErrorKind, sent: string])[] = [
  ["no HTTP", "bad_response", "garbage\r\n\r\n"],
  ["nothing", "bad_response", ""],
  ["half a body", "bad_response", `${OK}content-length: 9\r\n\r\nabc`],
  ["a broken compression", "bad_response", `${OK}content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc`],
  ["an unknown compression", "bad_response", `${OK}content-encoding: zip\r\ncontent-length: 3\r\n\r\nabc`],
];

for (const [what, kind, sent] of broken) {
  Deno.test(`guarded fetch says that a host which sends ${what} is broken`, async () => {
    await using server = upstreamServer(async (connection) => {
      await connection.request();
      await connection.write(sent);
      connection.close();
    });
    const { message } = await failsAs(kind, rig({ port: server.port }).get("http://example.com/"));
    assert.doesNotMatch(message, /127|provider/);
  });
}

Deno.test("guarded fetch tells names without an address and connections that fail apart", async () => {
  const none = rig({ names: { "example.com": [[]] } });
  await failsAs("dns", none.get("http://example.com/"));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const several = rig({ port, names: { "example.com": [[PUBLIC, "8.8.8.8"]] } });
  await failsAs("connection", several.get("http://example.com/"));
  assert.deepEqual(several.connected.map(({ address }) => address), [PUBLIC, "8.8.8.8"]);
});

Deno.test("guarded fetch reaches the hosts and ports that the operator allows, and no other ones", async () => {
  await using server = upstreamServer(answers(hello));
  const { port } = server;
  const allowedHosts = [`127.0.0.1:${port}`, "wiki.corp", "[::1]"];
  const names = { "wiki.corp": [["10.0.0.1"]] };
  const { get, connected } = rig({ port, names, policy: { allowHttp: false, allowedHosts } });
  assert.equal(text((await get(`http://127.0.0.1:${port}/`)).body), "hello");
  await get("http://wiki.corp/");
  await get("http://[::1]/");
  assert.deepEqual(connected.map(({ address }) => address), ["127.0.0.1", "10.0.0.1", "::1"]);
  await failsAs("forbidden_host", get("https://127.0.0.1/"));
  await failsAs("invalid_url", get("https://wiki.corp:8443/"));
  await failsAs("forbidden_host", get("https://sub.wiki.corp/"));
});
