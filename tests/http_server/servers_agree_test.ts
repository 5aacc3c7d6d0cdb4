/** The gateway's own API and the platform's answer ordinary requests alike. */

import assert from "node:assert/strict";
import { listenWithDenoServe } from "../../server/http/http_server/deno_serve.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { Line } from "../support/raw_client.ts";
import { latin1, type Reply } from "../support/reply.ts";
import { says, scripted } from "../support/scripted.ts";

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  readonly key?: "api" | "management" | "none";
  /** In chunks instead of with a length. */
  readonly chunked?: true;
}

const chat = { model: "mock/model", messages: [{ role: "user", content: "Hi" }] };
const messages = { ...chat, max_tokens: 100 };
const responses = { model: "mock/model", input: "Hi" };
const origin = { origin: "https://page.example" };

const post = (path: string, body: unknown, more: Partial<Sent> = {}): Sent => ({
  method: "POST",
  path,
  body,
  ...more,
});
const at = (path: string, more: Partial<Sent> = {}): Sent => ({ path, ...more });

const corpus: readonly Sent[] = [
  at("/healthz"),
  at("/healthz?a=b"),
  at("/healthz", { method: "HEAD" }),
  at("/readyz"),
  at("/"),
  at("/v1"),
  at("/v1/nothing"),
  at("/console"),
  at("/v1/models"),
  at("/api/v1/models"),
  at("/v1/models", { method: "HEAD" }),
  at("/v1/models", { headers: origin }),
  at("/v1/models?supported_parameters=tools"),
  at("/v1/models?nothing=1"),
  at("/v1/models/count"),
  at("/v1/models/mock/model/endpoints"),
  at("/v1/model/mock/model"),
  at("/v1/model/mock/none"),
  at("/v1/model/mock%2Fmodel"),
  at("/v1/models", { key: "none" }),
  at("/v1/key"),
  at("/v1/key", { key: "management" }),
  at("/v1/key", { headers: origin }),
  at("/v1/key", { headers: { "x-api-key": "nobody" }, key: "none" }),
  at("/v1/keys"),
  at("/v1/keys", { key: "management" }),
  at("/v1/keys?offset=1", { key: "management" }),
  at("/v1/keys?offset=x", { key: "management" }),
  at("/v1/keys/nothing", { key: "management" }),
  at("/v1/keys/nothing", { key: "management", method: "DELETE" }),
  at("/v1/workspaces", { key: "management" }),
  at("/v1/workspaces/default", { key: "management" }),
  at("/v1/credits", { key: "management" }),
  at("/v1/generation?id=gen-0", {}),
  at("/v1/activity", { key: "management" }),
  at("/v1/responses"),
  at("/v1/responses", { method: "OPTIONS" }),
  at("/v1/responses", {
    method: "OPTIONS",
    headers: { ...origin, "access-control-request-headers": "x-a, x-b" },
  }),
  at("/v1/responses", {
    method: "OPTIONS",
    headers: { ...origin, "access-control-request-headers": "\xe9\xff" },
  }),
  at("/v1/keys", { method: "OPTIONS", headers: origin }),
  at("/v1/responses", { method: "DELETE" }),
  at("/v1/responses", { method: "PROPFIND" }),
  at("/v1/responses", { method: "BREW" }),
  at("/v1//responses", { method: "POST" }),
  at("/v1/%2e%2e/responses", { method: "POST" }),
  post("/v1/responses", responses),
  post("/api/v1/responses", responses),
  post("/v1/responses?a=b", responses, { headers: origin }),
  post("/v1/responses", responses, { chunked: true }),
  post("/v1/responses", { ...responses, stream: true }),
  post("/v1/responses", { ...responses, stream: true }, { headers: origin }),
  post("/v1/responses", { ...responses, input: "é 語 😀" }),
  post("/v1/responses", { ...responses, input: "é 語 😀", stream: true }, { chunked: true }),
  post("/v1/responses", { ...responses, model: "mock/none" }),
  post("/v1/responses", { ...responses, temperature: 3 }),
  post("/v1/responses", { ...responses, store: true }),
  post("/v1/responses", responses, { key: "none" }),
  post("/v1/responses", responses, { key: "management" }),
  post("/v1/responses", responses, { headers: { "x-service-metadata": "enabled" } }),
  post("/v1/responses", responses, { headers: { "content-type": "text/plain" } }),
  post("/v1/responses", responses, { headers: { "content-type": "application/json; charset=utf-8" } }),
  post("/v1/responses", responses, { headers: { "content-encoding": "gzip" } }),
  post("/v1/responses", responses, { headers: { "user-agent": "\xe9\xff", "x-title": "\xc3\xa9" } }),
  post("/v1/responses", "{"),
  post("/v1/responses", ""),
  post("/v1/responses", "[]"),
  post("/v1/responses", "\xff\xfe{}"),
  post("/v1/responses", "\xef\xbb\xbf{}"),
  post("/v1/responses", { ...responses, input: "x".repeat(300_000) }),
  post("/v1/chat/completions", chat),
  post("/v1/chat/completions", { ...chat, stream: true }),
  post("/v1/chat/completions", { ...chat, messages: [] }),
  post("/v1/messages", messages),
  post("/v1/messages", { ...messages, stream: true }),
  post("/v1/messages", chat),
  post("/v1/messages", messages, {
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": "a, b" },
  }),
  post("/v1/route/explain", responses),
  post("/v1/audio/speech", { model: "mock/model", input: "Hi", voice: "alloy" }),
  post("/v1/keys", { name: "" }, { key: "management" }),
  post("/v1/keys", { name: "x", nothing: 1 }, { key: "management" }),
];

const utf8 = new TextEncoder();

/** The bytes of a text as they are where it is no JSON. */
const asBytes = (body: unknown) =>
  typeof body === "string" ? body : latin1(utf8.encode(JSON.stringify(body)));

function bytesOf({ port, apiKey, managementKey }: Gateway, sent: Sent): string {
  const { method = "GET", path, headers = {}, key = "api", chunked } = sent;
  const token = { api: apiKey, management: managementKey, none: undefined }[key];
  const body = sent.body === undefined ? undefined : asBytes(sent.body);
  const framing = chunked ? "transfer-encoding: chunked\r\n" : `content-length: ${body?.length}\r\n`;
  const type = headers["content-type"] === undefined ? "content-type: application/json\r\n" : "";
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` +
    (token === undefined ? "" : `authorization: Bearer ${token}\r\n`) +
    Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("") +
    (body === undefined ? "" : type + framing);
  if (body === undefined) return `${head}\r\n`;
  return `${head}\r\n${chunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body}`;
}

/** Matters of the connection, and what differs each time. */
const leftOut = ["date", "connection", "keep-alive", "transfer-encoding", "content-length", "server-timing"];

/** Picks what two answers to the same request have in common, wherever they come from. */
function essence({ status, headers, text, framing }: Reply, { port }: Gateway) {
  const same = (value: string) =>
    value.replace(/(resp|gen|req|msg|chatcmpl|rs)([_-])[0-9a-f]{8,}/g, "$1$2…")
      .replace(
        /"(created|created_at|completed_at|dur|latency_ms|generation_time|total_ms)":[\d.]+/g,
        '"$1":0',
      )
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z?"/g, '"then"').replaceAll(String(port), "port");
  const kept = [...headers].filter(([name]) => !leftOut.includes(name)).map((
    [name, value],
  ) => [name, same(value)]);
  return { status, headers: kept.sort(), text: same(text), framing };
}

/** The platform's API to the same app. */
function otherApi({ app }: Gateway): AsyncDisposable & { readonly port: number } {
  const server = listenWithDenoServe({
    hostname: "127.0.0.1",
    port: 0,
    handle: app.fetch,
    protocolError: app.renderProtocolError,
  });
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function answer(gateway: Gateway, sent: Sent): Promise<Reply> {
  await using line = await Line.open(gateway.port);
  await line.send(bytesOf(gateway, sent));
  return await line.reply({ to: sent.method });
}

Deno.test("both doors answer ordinary requests alike", async (t) => {
  await using upstream = scripted(says("responses", "Hello there, é 語 😀"));
  await using own = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
  await using other = otherApi(own);
  const platform = { ...own, port: other.port };
  assert(corpus.length >= 60);
  for (const sent of corpus) {
    const what = JSON.stringify(sent);
    await t.step(what.slice(0, 120), async () => {
      const requested = upstream.requested.length;
      const [ours, theirs] = [await answer(own, sent), await answer(platform, sent)];
      const [us, them] = [essence(ours, own), essence(theirs, platform)];
      assert.deepEqual(us, them);
      const calls = upstream.requested.slice(requested);
      assert.deepEqual(calls[0]?.body, calls[1]?.body, "the provider was asked the same");
      assert.equal(calls.length % 2, 0);
    });
  }
});
