import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ask, readError } from "../support/call.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { rawExchange } from "../support/raw.ts";
import { says, scripted } from "../support/scripted.ts";
import { threadMs } from "../support/thread_time.ts";

const good = JSON.stringify({ model: "mock/model", input: "Hi" });
const KIB = 1_024;
const limits = { body_bytes: 64 * KIB };

function head({ port }: Gateway, { key, more }: { readonly key: string; readonly more: string }): string {
  return `POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\n${more}\r\n`;
}

Deno.test("C4 readBody refuses a body by its announced length, before any of it is sent", async () => {
  await using gateway = await startGateway({ limits });
  const request = head(gateway, { key: gateway.apiKey, more: "Content-Length: 100000000\r\n" });
  const { status, text } = await rawExchange(gateway.port, request);
  assert.equal(status, 413);
  assert.equal(JSON.parse(text).error.code, 413);
});

Deno.test("C4 readBody refuses a chunked body as soon as it is too large", async () => {
  await using gateway = await startGateway({ limits });
  const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
  const request = head(gateway, { key: gateway.apiKey, more: "Transfer-Encoding: chunked\r\n" });
  const { status } = await rawExchange(gateway.port, request + chunk.repeat(6));
  assert.equal(status, 413, "although the body has not ended");
});

Deno.test("C4 readBody takes a body up to the limit, known or chunked", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ limits, providers: [providerAt(upstream.baseUrl)] });
  const body = JSON.stringify({ model: "mock/model", input: "x".repeat(63 * KIB) });
  const known = await ask(gateway, body);
  assert.equal(known.status, 200);
  await known.body?.cancel();
  const size = body.length.toString(16);
  const request = head(gateway, { key: gateway.apiKey, more: "Transfer-Encoding: chunked\r\n" });
  const { status } = await rawExchange(gateway.port, `${request}${size}\r\n${body}\r\n0\r\n\r\n`);
  assert.equal(status, 200);
});

Deno.test("C4 readBody waits for a body that is shorter than announced, and then gives up", async () => {
  const clock = fakeClock();
  await using gateway = await startGateway({ clock });
  const request = head(gateway, { key: gateway.apiKey, more: "Content-Length: 5000\r\n" });
  const answering = rawExchange(gateway.port, request + good);
  await clock.advanceOnce(() => clock.open > 0, 29_000);
  assert.equal(clock.open, 1);
  await clock.advanceOnce(() => clock.open > 0, 1_000);
  const { status, text } = await answering;
  assert.equal(status, 408);
  assert.match(asObject(JSON.parse(text).error).message as string, /30 s/);
});

Deno.test("C3 readBody answers 400 where the specification lists no 408, and never 500", async () => {
  const clock = fakeClock();
  await using gateway = await startGateway({ clock });
  const key = await gateway.addKey({ kind: "api" });
  const paths = { "POST /v1/audio/speech": key, "POST /v1/keys": gateway.managementKey };
  for (const [call, token] of Object.entries(paths)) {
    const request = head(gateway, { key: token, more: "Content-Length: 5000\r\n" })
      .replace("POST /v1/responses", call);
    const answering = rawExchange(gateway.port, request + good);
    await clock.advanceOnce(() => clock.open > 0, 30_000);
    const { status, text } = await answering;
    assert.equal(status, 400, call);
    assert.match(text, /The body was not complete after 30 s/);
  }
});

Deno.test("C3 readBody gives up a chunked body that does not end", async () => {
  const clock = fakeClock();
  await using gateway = await startGateway({ clock, limits: { body_seconds: 3 } });
  const request = head(gateway, { key: gateway.apiKey, more: "Transfer-Encoding: chunked\r\n" });
  const answering = rawExchange(gateway.port, `${request}1\r\n{\r\n`);
  await clock.advanceOnce(() => clock.open > 0, 3_000);
  assert.equal((await answering).status, 408);
});

Deno.test("C3 authenticate answers before a body has come", async () => {
  await using gateway = await startGateway();
  const request = head(gateway, { key: "nobody", more: "Content-Length: 30000000\r\n" });
  assert.equal((await rawExchange(gateway.port, request)).status, 401);
});

Deno.test("C3 two hundred dripping clients do not slow down others", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const request = new TextEncoder().encode(
    head(gateway, { key: gateway.apiKey, more: "Content-Length: 5000\r\n" }),
  );
  const drips: Deno.Conn[] = [];
  try {
    for (let at = 0; at < 200; at++) {
      const connection = await Deno.connect({ port: gateway.port, hostname: "127.0.0.1" });
      drips.push(connection);
      await connection.write(request);
    }
    await (await ask(gateway, good)).body?.cancel();
    const took = await threadMs(async () => {
      const response = await ask(gateway, good);
      await response.body?.cancel();
      assert.equal(response.status, 200);
    });
    assert(took < 500, `took ${took} ms`);
  } finally {
    for (const connection of drips) connection.close();
  }
});

Deno.test("C7 readBody refuses a compressed body and names its coding", async () => {
  await using gateway = await startGateway();
  for (const coding of ["gzip", "br", "deflate", "gzip, identity", "x".repeat(200)]) {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        "content-type": "application/json",
        "content-encoding": coding,
      },
      body: Uint8Array.from(gzipSync(good)),
    });
    const { status, message } = await readError(response);
    assert.equal(status, 400);
    assert(message.includes(coding.slice(0, 40)));
    assert(message.length < 200);
  }
});

const types: Readonly<Record<string, number>> = {
  "application/json": 200,
  "application/json; charset=utf-8": 200,
  "APPLICATION/JSON": 200,
  "application/vnd.api+json": 200,
  "text/plain": 400,
  "text/json": 400,
  "application/x-www-form-urlencoded": 400,
  "multipart/form-data; boundary=x": 400,
  "application/jsonp": 400,
  "application/": 400,
};

for (const [type, status] of Object.entries(types)) {
  Deno.test(`readBody answers ${status} to the content type ${type}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const response = await ask(gateway, good, { headers: { "content-type": type } });
    assert.equal(response.status, status);
    if (status === 400) assert((await readError(response)).message.includes(type.slice(0, 20)));
    else await response.body?.cancel();
  });
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":0`).join();

/** Bodies that are no request; each is refused quickly, as the client's fault. */
const bodies: Readonly<Record<string, readonly [string, string]>> = {
  "nothing": ["", "body"],
  "a brace": ["{", "body"],
  "words": ["hello", "body"],
  "a list": ["[]", "body"],
  "null": ["null", "body"],
  "a number": ["1", "body"],
  "an empty object": ["{}", "input"],
  "two values": [`${good}${good}`, "body"],
  "a comment": [`/* hi */ ${good}`, "body"],
  "a trailing comma": ['{"input":"Hi",}', "body"],
  "a raw newline in a string": ['{"input":"a\nb"}', "body"],
  "C5 ten thousand levels": [`{"input":${nested(10_000)}}`, "body"],
  "C5 a million brackets": ["[".repeat(1_000_000), "body"],
  "C5 a million keys": [`{"metadata":{${keys(300_000)}}}`, "body"],
  "C5 a million values": [`{"input":[${"0,".repeat(1_100_000)}0]}`, "body"],
  "C5 a number of a million digits": [`{"input":"x","top_k":${"9".repeat(1_000_000)}}`, "top_k"],
  "C5 a key of a megabyte": [`{"input":"x","metadata":{"${"k".repeat(1_000_000)}":"v"}}`, "metadata"],
};

for (const [what, [text, path]] of Object.entries(bodies)) {
  Deno.test(`POST /responses answers 400 to ${what}`, async () => {
    await using gateway = await startGateway();
    const asking = async () => await readError(await ask(gateway, text));
    let answer: Awaited<ReturnType<typeof asking>> | undefined;
    const took = await threadMs(async () => {
      answer = await asking();
    });
    assert(took < 1_000, `${took} ms`);
    const { status, error, message } = answer ?? assert.fail();
    assert.equal(status, 400);
    assert(message.length < 1_000, "the body is not repeated");
    assert.equal(String(asObject(error.metadata).path).split(/[.[]/)[0], path);
  });
}

Deno.test("POST /responses reads bytes that are no UTF-8 without failing", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const bytes = new TextEncoder().encode(good.replace("Hi", "H\u00ff"));
  bytes[bytes.length - 4] = 0xff;
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: bytes,
  });
  assert([200, 400].includes(response.status));
  await response.body?.cancel();
});

Deno.test("POST /responses takes a body that begins with a byte order mark", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const response = await ask(gateway, `\ufeff${good}`);
  assert.equal(response.status, 200);
  await response.body?.cancel();
});
