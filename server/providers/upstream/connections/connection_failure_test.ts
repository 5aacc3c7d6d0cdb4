import assert from "node:assert/strict";
import {
  chunk,
  CHUNKED,
  type UpstreamConnection,
  upstreamServer,
} from "../../../../tests/support/upstream_server.ts";
import { transportRig } from "../../../../tests/support/upstream_rig.ts";
import { patiently } from "../../../../tests/support/until.ts";
import { SseLimitError } from "../../../protocols/stream/sse.ts";
import { connectionFailure } from "./connection_failure.ts";
import { ResponseTooLarge } from "../transport.ts";

type Handle = (connection: UpstreamConnection) => Promise<void> | void;

/** Answers with `text` and closes. */
const says = (text: string): Handle => async (connection) => {
  await connection.request();
  await connection.write(text);
  connection.close();
};

/** The same, without waiting for a request that can be read. */
const blurts = (text: string): Handle => async (connection) => {
  await connection.write(text);
  connection.close();
};

/** A whole answer over the transport, or over `fetch`, whose wordings are held as well. */
const ways: Readonly<Record<string, (url: string) => Promise<string>>> = {
  transport: async (url) => {
    await using rig = transportRig();
    return await patiently(rig.post(url).then((reply) => reply.text(1_000_000)));
  },
  fetch: async (url) => {
    const response = await fetch(url, { method: "POST", body: "{}", redirect: "manual" });
    return await response.text();
  },
};

async function codeOf(call: Promise<string>): Promise<string | undefined> {
  const error = await call.then((text) => assert.fail(`answered ${text}`), (error: unknown) => error);
  const failure = connectionFailure(error);
  assert.equal(failure.kind, "upstream_failed");
  assert.doesNotMatch(failure.message, /127|localhost/);
  return failure.code;
}

/** A port that nobody listens on. */
function freePort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

const nobody: readonly (readonly [string, () => string])[] = [
  ["connection_refused", () => `http://127.0.0.1:${freePort()}/`],
  ["connection_refused", () => `https://127.0.0.1:${freePort()}/`],
  ["dns", () => "http://nowhere.invalid/"],
  ["dns", () => "https://nowhere.invalid/"],
  ["dns", () => "http://a..b/"],
];

for (const [way, call] of Object.entries(ways)) {
  for (const [code, url] of nobody) {
    Deno.test(`U5 ${way}: a call to ${url().replace(/\d{5,}/, "a dead port")} is told as ${code}`, async () => {
      assert.equal(await codeOf(call(url())), code);
    });
  }
}

const OK = "HTTP/1.1 200 OK\r\n";

/**
 * The rows of measured 2.2; the last field is what `fetch` tells where that differs, null where it tells nothing.
 */
const faults: readonly (readonly [what: string, code: string, handle: Handle, fetch?: string | null])[] = [
  ["closes at once", "connection_reset", (connection) => connection.close()],
  ["closes instead of answering", "connection_reset", says("")],
  ["closes in its headers", "connection_reset", says(`${OK}content-le`)],
  ["says garbage", "bad_http", says("garbage\r\n\r\n")],
  ["speaks HTTP/2", "bad_http", says("\0\0\x12\x04\0\0\0\0\0")],
  ["has a bad header line", "bad_http", says(`${OK}content length 3\r\n\r\nabc`)],
  ["has 300 KB of one header", "bad_http", says(`${OK}x: ${"a".repeat(300_000)}\r\n\r\n`), null],
  ["has 300 KB of headers", "bad_http", says(`${OK}${"x: a\r\n".repeat(50_000)}\r\n`)],
  ["cuts a body with a length", "cut", says(`${OK}content-length: 9\r\n\r\nabc`)],
  ["cuts a body in chunks", "cut", says(CHUNKED + chunk("abc"))],
  ["cuts a chunk", "cut", says(`${CHUNKED}5\r\nab`)],
  ["has a bad chunk size", "bad_http", says(`${CHUNKED}zz\r\nab`), "cut"],
  ["has two lengths", "bad_http", says(`${OK}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`)],
  ["has length and chunks", "bad_http", says(`${OK}content-length: 3\r\n${CHUNKED.slice(OK.length)}`), "cut"],
  ["switches protocols", "bad_http", says("HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"), null],
];

for (const [what, code, handle, fetched = code] of faults) {
  for (const [way, call] of Object.entries(ways)) {
    const expected = way === "fetch" ? fetched : code;
    if (expected === null) continue;
    Deno.test(`U5 ${way}: a provider that ${what} is told as ${expected}`, async () => {
      await using server = upstreamServer(handle);
      assert.equal(await codeOf(call(server.url)), expected);
    });
  }
}

for (const [way, call] of Object.entries(ways)) {
  Deno.test(`U5 ${way}: a provider that does not speak TLS is told as tls`, async () => {
    await using server = upstreamServer(blurts("HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert.equal(await codeOf(call(server.url.replace("http", "https"))), "tls");
  });
}

Deno.test("U5 a provider that closes in the TLS handshake is told as tls", async () => {
  await using server = upstreamServer((connection) => connection.close());
  await using rig = transportRig();
  const error = await rig.post(server.url.replace("http", "https")).catch((error: unknown) => error);
  assert.equal(connectionFailure(error).code, "tls");
});

Deno.test("U9 a body that ends with its connection cannot be seen to be cut", async () => {
  for (const call of Object.values(ways)) {
    await using server = upstreamServer(says(`${OK}\r\nabc`));
    assert.equal(await call(server.url), "abc");
  }
});

Deno.test("U11 what is too long is told as too_large", () => {
  assert.equal(connectionFailure(new ResponseTooLarge("x")).code, "too_large");
  assert.equal(connectionFailure(new SseLimitError("event", 1)).code, "too_large");
});

Deno.test("U5 what cannot be told is a failed connection", () => {
  for (const error of [new Error("odd"), "odd", undefined]) {
    assert.equal(connectionFailure(error).code, "connection");
  }
});
