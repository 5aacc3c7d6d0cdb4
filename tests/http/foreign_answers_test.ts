/** Responses that belong to no request: what is told of them, and that no client can cause one at an honest provider. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { Line } from "../support/raw_client.ts";
import { until } from "../support/until.ts";
import { afterReuseDelay } from "../support/upstream_rig.ts";
import {
  answer,
  type UpstreamConnection,
  type UpstreamServer,
  upstreamServer,
} from "../support/upstream_server.ts";

const completion = (content: string) =>
  answer(
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
    { headers: "content-type: application/json\r\n" },
  );

const gatewayTo = ({ url }: UpstreamServer) =>
  startGateway({ providers: [providerAt(url, { wire: "chat", models: [mockModel] })] });

/** Until when connections to the provider are used once, as the status operation and explain tell it. */
async function reportedBy(gateway: Gateway): Promise<readonly [status: unknown, seconds: unknown]> {
  const { body: { data } } = await managed(gateway, { call: "GET /status" });
  const [endpoint] = asObject(data).endpoints as readonly Readonly<Record<string, unknown>>[];
  const response = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi" }),
  });
  const { candidates: [candidate] } = await response.json();
  return [endpoint?.single_use_until, candidate?.single_use_seconds];
}

Deno.test("GET /status, explain and the log tell of an origin that sends a response too many, without its content", async () => {
  await using server = upstreamServer(async (connection) => {
    await connection.request();
    await connection.write(completion("mine") + completion("of somebody else"));
    await connection.gone();
  });
  await using gateway = await gatewayTo(server);
  assert.match(await (await ask(gateway, { model: "mock/model", input: "Hi" })).text(), /"mine"/);
  const [until, seconds] = await reportedBy(gateway);
  const left = Date.parse(String(until)) - Date.now();
  assert.ok(left > 500_000 && left <= 601_000, `${until}`);
  assert.ok(Number(seconds) > 500 && Number(seconds) <= 600, `${seconds}`);
  for (let i = 0; i < 3; i++) {
    assert.match(await (await ask(gateway, { model: "mock/model", input: "Hi" })).text(), /"mine"/);
  }
  assert.equal(server.connections.length, 4);
  const lines = gateway.logged.filter((line) => line.includes("belong to no request"));
  assert.equal(lines.length, 1);
  assert.doesNotMatch(gateway.logged.join("\n"), /of somebody else/);
  assert.equal(JSON.parse(lines[0] ?? "{}").address, server.url);
});

/** Answers each request with the marker that is in it, and takes whatever else comes for further requests. */
async function honest(connection: UpstreamConnection): Promise<void> {
  for (;;) {
    const request = await connection.request();
    if (request === undefined) return;
    await connection.write(completion(/marker-\d+/.exec(request)?.[0] ?? "no marker"));
  }
}

interface Trick {
  readonly what: string;
  /** The head without its length and its end, and the JSON body. */
  readonly bytes: (head: string, body: string) => readonly string[];
}

const hidden = (head: string, body: string) => `${head}content-length: ${body.length}\r\n\r\n${body}`;
const sized = (head: string, body: string, { more = "" } = {}) =>
  `${head}content-length: ${body.length}\r\n${more}\r\n${body}`;
const chunked = (head: string, lines: string) => `${head}transfer-encoding: chunked\r\n\r\n${lines}`;
const hex = (text: string) => text.length.toString(16);

/** A body whose texts hold a whole request: a provider that took its length for another one would read it as one. */
const holding = (body: string, text: string) => JSON.stringify({ ...JSON.parse(body), instructions: text });

const tricks: readonly Trick[] = [
  { what: "two requests at once", bytes: (head, body) => [sized(head, body) + sized(head, body)] },
  {
    what: "a request in the body's text",
    bytes: (head, body) => [sized(head, holding(body, hidden(head, body)))],
  },
  {
    what: "the head of a provider's request in the body's text",
    bytes: (head, body) => [
      sized(
        head,
        holding(body, `\r\n\r\nPOST /chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`),
      ),
    ],
  },
  {
    what: "characters of several bytes",
    bytes: (head, body) => [sized(head, Buffer.from(holding(body, "é€😀")).toString("latin1"))],
  },
  { what: "half a surrogate", bytes: (head, body) => [sized(head, body.replace("Say", "\\ud83d Say"))] },
  { what: "a request behind the body", bytes: (head, body) => [sized(head, body) + hidden(head, body)] },
  {
    what: "both framings",
    bytes: (
      head,
      body,
    ) => [sized(head, `0\r\n\r\n${hidden(head, body)}`, { more: "transfer-encoding: chunked\r\n" })],
  },
  {
    what: "chunks, and a request behind the last",
    bytes: (head, body) => [chunked(head, `${hex(body)}\r\n${body}\r\n0\r\n\r\n${hidden(head, body)}`)],
  },
  {
    what: "a request in a trailer",
    bytes: (
      head,
      body,
    ) => [chunked(head, `${hex(body)}\r\n${body}\r\n0\r\nx: y\r\n\r\n${hidden(head, body)}`)],
  },
  {
    what: "a request in a chunk's extension",
    bytes: (
      head,
      body,
    ) => [chunked(head, `${hex(body)};x="${head.split("\r\n", 1)[0]}"\r\n${body}\r\n0\r\n\r\n`)],
  },
  {
    what: "a chunk that is longer than its size",
    bytes: (head, body) => [chunked(head, `2\r\n${body}\r\n0\r\n\r\n`)],
  },
  {
    what: "Expect and the body at once",
    bytes: (head, body) => [sized(head, body, { more: "expect: 100-continue\r\n" })],
  },
  {
    what: "Expect and the body later",
    bytes: (
      head,
      body,
    ) => [
      sized(head, "").replace(
        "content-length: 0\r\n\r\n",
        `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
      ),
      body,
    ],
  },
  { what: "a body that breaks off", bytes: (head, body) => [sized(head, body).slice(0, -5)] },
  {
    what: "header fields that look like framing",
    bytes: (
      head,
      body,
    ) => [
      sized(head, body, { more: "x-content-length: 0\r\nconnection: content-length\r\nupgrade: h2c\r\n" }),
    ],
  },
  {
    what: "another method",
    bytes: (head, body) => [sized(head.replace("POST", "PUT"), body) + sized(head, body)],
  },
];

for (const { what, bytes } of tricks) {
  Deno.test(`no client brings about a foreign answer by ${what}`, async () => {
    await using server = upstreamServer(honest);
    await using gateway = await gatewayTo(server);
    const marked = (marker: number) =>
      JSON.stringify({ model: "mock/model", input: `Say marker-${marker}`, max_output_tokens: 20 });
    const head = `POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\n` +
      "content-type: application/json\r\n";
    for (let round = 0; round < 3; round++) {
      const line = await Line.open(gateway.port);
      await line.send(...bytes(head, marked(1)));
      // Beside it, and over the same connections to the provider, others get their own.
      await Promise.all([2, 3, 4].map(async (marker) => {
        const response = await ask(gateway, marked(marker));
        assert.match(await response.text(), new RegExp(`"marker-${marker}"`));
      }));
      await line[Symbol.asyncDispose]();
      await afterReuseDelay();
    }
    await until(() => server.connections.every(({ pending }) => pending === 0));
    assert.ok(server.connections.length < server.requests, "connections are used again");
    assert.deepEqual(await reportedBy(gateway), [null, null], "nothing came that belongs to no request");
  });
}
