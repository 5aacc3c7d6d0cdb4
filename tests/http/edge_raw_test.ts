import assert from "node:assert/strict";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { rawExchange } from "../support/raw.ts";
import { says, scripted } from "../support/scripted.ts";

const body = JSON.stringify({ model: "mock/model", input: "Hi" });

interface Head {
  readonly line?: string;
  readonly host?: string;
  /** Whole lines, each with its end. */
  readonly fields?: string;
  readonly length?: string;
  readonly body?: string;
}

/** A good call, but for what the test says otherwise. */
function callWith({ apiKey, port }: Gateway, head: Head): string {
  const {
    line = "POST /v1/responses HTTP/1.1\r\n",
    host = `Host: 127.0.0.1:${port}\r\n`,
    fields = "",
    length = `Content-Length: ${body.length}\r\n`,
  } = head;
  const common = `Authorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
  return `${line}${host}${common}${fields}${length}\r\n${head.body ?? body}`;
}

const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Row → what is odd about the request. Each must be refused before any handler sees it. */
const refused: Readonly<Record<string, Head>> = {
  "two lengths that differ": { fields: "Content-Length: 5\r\n" },
  "the same length twice": { fields: `Content-Length: ${body.length}\r\n` },
  "a list of lengths": { length: `Content-Length: ${body.length}, 5\r\n` },
  "a length with a sign": { length: `Content-Length: +${body.length}\r\n` },
  "a negative length": { length: "Content-Length: -1\r\n" },
  "a hexadecimal length": { length: "Content-Length: 0x10\r\n" },
  "a length with words": { length: "Content-Length: ten\r\n" },
  "an unknown transfer coding": { length: "Transfer-Encoding: cow\r\n", body: chunked },
  "a space before a colon": { fields: "X-A : b\r\n" },
  "a folded line": { fields: "X-A: b\r\n c\r\n" },
  "a NUL in a value": { fields: "X-A: b\0c\r\n" },
  "a bare carriage return": { fields: "X-A: b\rX-B: c\r\n" },
  "two hosts": { fields: "Host: elsewhere\r\n" },
  "600 headers": {
    fields: Array.from({ length: 600 }, (_, at) => `X-${at}: a\r\n`).join(""),
  },
  "a header of a megabyte": { fields: `X-A: ${"a".repeat(1_000_000)}\r\n` },
  "an address of 100 kilobytes": { line: `POST /v1/responses?${"a".repeat(100_000)} HTTP/1.1\r\n` },
  "a space in the path": { line: "POST /v1/res ponses HTTP/1.1\r\n" },
  "no path": { line: "POST v1/responses HTTP/1.1\r\n" },
  "a host with a path": { host: "Host: x/v1/key?\r\n" },
  "a host with a user": { host: "Host: a@127.0.0.1\r\n" },
  "a host with a fragment": { host: "Host: x#\r\n" },
  "a host with a backslash": { host: "Host: x\\v1\r\n" },
  "an empty host": { host: "Host: \r\n" },
  "no host": { host: "" },
  "no host in the old protocol": { line: "POST /v1/responses HTTP/1.0\r\n", host: "" },
  "another host in the address": { line: "POST http://elsewhere/v1/responses HTTP/1.1\r\n" },
  "an empty segment": { line: "POST //v1/responses HTTP/1.1\r\n" },
  "an encoded dot": { line: "POST /v1/x/%2e%2e/responses HTTP/1.1\r\n" },
  "a backslash": { line: "POST /v1\\responses HTTP/1.1\r\n" },
  "an encoded backslash": { line: "POST /v1%5Cresponses HTTP/1.1\r\n" },
  "an encoded NUL": { line: "POST /v1/responses%00 HTTP/1.1\r\n" },
  "a way up": { line: "POST /v1/x/../responses HTTP/1.1\r\n" },
  "a way to itself": { line: "POST /v1/./responses HTTP/1.1\r\n" },
  "a fragment": { line: "POST /v1/responses#x HTTP/1.1\r\n" },
};

for (const [what, head] of Object.entries(refused)) {
  Deno.test(`createApp refuses a raw request with ${what}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const { status, closed } = await rawExchange(gateway.port, callWith(gateway, head));
    assert([400, 414, 431].includes(status) || (status === 0 && closed), `status ${status}`);
    assert.equal(upstream.requested.length, 0, "no handler was reached");
  });
}

/** A second request is hidden behind the first; no reading of the two may reach a handler twice. */
const smuggled = (gateway: Gateway) => callWith(gateway, {});

const hiding: Readonly<Record<string, (gateway: Gateway) => Head>> = {
  "a length and chunks": (gateway) => ({
    fields: "Transfer-Encoding: chunked\r\n",
    body: `0\r\n\r\n${smuggled(gateway)}`,
  }),
  "chunks and a length": (gateway) => ({
    fields: "Content-Length: 4\r\n",
    length: "Transfer-Encoding: chunked\r\n",
    body: `0\r\n\r\n${smuggled(gateway)}`,
  }),
  "chunks named twice": (gateway) => ({
    fields: "Transfer-Encoding: identity\r\n",
    length: "Transfer-Encoding: chunked\r\n",
    body: `0\r\n\r\n${smuggled(gateway)}`,
  }),
};

for (const [what, head] of Object.entries(hiding)) {
  Deno.test(`createApp lets nothing be smuggled behind ${what}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const { status } = await rawExchange(gateway.port, callWith(gateway, head(gateway)));
    assert.equal(status, 400);
    assert.equal(upstream.requested.length, 0, "no handler was reached");
  });
}

const taken: Readonly<Record<string, Head>> = {
  "chunks with extensions": {
    length: "Transfer-Encoding: chunked\r\n",
    body: `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\n\r\n`,
  },
  "a query": { line: "POST /v1/responses?a=../%2e// HTTP/1.1\r\n" },
  "lower-case names": { fields: "accept: */*\r\n" },
  "the old protocol": { line: "POST /v1/responses HTTP/1.0\r\n" },
};

for (const [what, head] of Object.entries(taken)) {
  Deno.test(`createApp takes a raw request with ${what}`, async () => {
    await using upstream = scripted(says("responses", "Hello"));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const { status, text } = await rawExchange(gateway.port, callWith(gateway, head));
    assert.equal(status, 200, text);
    assert.equal(upstream.requested.length, 1);
  });
}

Deno.test("createApp takes an address with its own host", async () => {
  await using upstream = scripted(says("responses", "Hello"));
  await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  const line = `POST http://127.0.0.1:${gateway.port}/v1/responses HTTP/1.1\r\n`;
  assert.equal((await rawExchange(gateway.port, callWith(gateway, { line }))).status, 200);
});

Deno.test("every route answers whatever name stands in Host", async () => {
  await using gateway = await startGateway();
  const paths = [
    "/v1/models?limit=1&sort=newest",
    "/v1/models/count",
    "/v1/keys?offset=0",
    "/healthz",
    "/nowhere",
  ];
  for (
    const host of ["1.2.3.4.5", ".1", "a.0x100000000", "xn--a", "a:99999", "256.1.1.1", "[::1]", "[1]", "a_b"]
  ) {
    for (const path of paths) {
      const key = path.startsWith("/v1/keys") ? gateway.managementKey : gateway.apiKey;
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const { status, text } = await rawExchange(gateway.port, head);
      assert.equal(status, path === "/nowhere" ? 404 : 200, `${host}${path}: ${text.slice(0, 200)}`);
    }
  }
});
