import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import {
  answer,
  chunk,
  CHUNKED,
  LAST_CHUNK,
  type UpstreamConnection,
  type UpstreamServer,
  upstreamServer,
} from "../support/upstream_server.ts";
import { afterReuseDelay } from "../support/upstream_rig.ts";

const all = Deno.env.get("TOLLGATE_TEST_ALL") === "1";

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const frames = [
  { id: "chatcmpl-1", choices: [{ index: 0, delta: { content: "ok" }, finish_reason: null }] },
  { id: "chatcmpl-1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: completion.usage },
];
const type = "content-type: text/event-stream\r\n";
const stream = CHUNKED.replace("\r\n\r\n", `\r\n${type}\r\n`) +
  [...frames.map((frame) => JSON.stringify(frame)), "[DONE]"].map((data) => chunk(`data: ${data}\n\n`)).join(
    "",
  ) +
  LAST_CHUNK;
const whole = answer(JSON.stringify(completion), { headers: "content-type: application/json\r\n" });
const refusal = answer("{}", { status: "500 Broken", headers: "content-type: application/json\r\n" });

const right = (request: string) => request.includes('"stream":true') ? stream : whole;

/** Answers the first request of a connection; every other one is read, and the connection closed. */
const answersOnce = (first: (request: string, connection: number) => string | undefined) => {
  let connections = 0;
  return async (connection: UpstreamConnection) => {
    const request = await connection.request();
    if (request === undefined) return;
    const text = first(request, connections++);
    if (text === undefined) return connection.close();
    await connection.write(text);
    if (await connection.request() !== undefined) connection.close();
  };
};

const rowAt = ({ url }: UpstreamServer, id = "mock") =>
  providerAt(url, { id, name: id, wire: "chat", models: [mockModel] });

interface Reported {
  readonly status: number;
  readonly attempts: readonly (readonly [status: number, code: string | undefined])[];
}

/** Asks, and lets the connection become one that may be used again. */
async function askAndFinish(gateway: Gateway, streamed = false): Promise<Reported> {
  const provider = { order: ["mock", "other"] };
  const response = await ask(gateway, { model: "mock/model", input: "Hi", stream: streamed, provider });
  const text = await response.text();
  if (response.status === 200) assert.match(text, /"ok"/);
  const { attempts } = await receiptOf(gateway, response);
  await afterReuseDelay();
  return { status: response.status, attempts: attempts.map(({ status, code }) => [status, code]) };
}

for (const streamed of [false, true]) {
  const how = streamed ? "streamed" : "whole";
  Deno.test(`U5 ${how}: a kept connection that ends unanswered costs one more attempt at the same endpoint`, async () => {
    await using server = upstreamServer(answersOnce(right));
    await using gateway = await startGateway({ providers: [rowAt(server)] });
    assert.deepEqual(await askAndFinish(gateway, streamed), { status: 200, attempts: [[200, undefined]] });
    for (let i = 2; i < 8; i++) {
      assert.deepEqual(await askAndFinish(gateway, streamed), {
        status: 200,
        attempts: [[0, "connection_reset"], [200, undefined]],
      });
      assert.equal(server.requests, 2 * i - 1, "every send is an attempt on a receipt");
    }
  });

  Deno.test(`U5 ${how}: what a provider reads and closes on is sent twice and never a third time`, async () => {
    await using server = upstreamServer(
      answersOnce((request, connection) => connection === 0 ? right(request) : undefined),
    );
    await using gateway = await startGateway({ providers: [rowAt(server)] });
    await askAndFinish(gateway, streamed);
    assert.deepEqual(await askAndFinish(gateway, streamed), {
      status: 502,
      attempts: [[0, "connection_reset"], [0, "connection_reset"]],
    });
    assert.equal(server.requests, 3);
    // No connection is left: what fails on a new one is not sent again.
    assert.deepEqual(await askAndFinish(gateway, streamed), {
      status: 502,
      attempts: [[0, "connection_reset"]],
    });
    assert.equal(server.requests, 4);
  });
}

Deno.test("U5 a kept connection that ends is no mark against the endpoint's health", async () => {
  await using server = upstreamServer(
    answersOnce((request, connection) => connection === 0 ? right(request) : refusal),
  );
  await using gateway = await startGateway({ providers: [rowAt(server)] });
  await askAndFinish(gateway);
  // Three failures in a row would make it rest: here are two, and two connections that ended.
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await askAndFinish(gateway), {
      status: 502,
      attempts: [[0, "connection_reset"], [500, "upstream_failed"]],
    });
  }
  const before = server.requests;
  assert.equal((await askAndFinish(gateway)).attempts.length, 2);
  assert.equal(server.requests, before + 2, "the endpoint was asked");
});

for (const [attempts, sends, others] of [[1, 1, 0], [2, 2, 0], [3, 2, 1]] as const) {
  Deno.test(`U5 one more attempt counts among limits.attempts, which is ${attempts}`, async () => {
    await using server = upstreamServer(
      answersOnce((request, connection) => connection === 0 ? right(request) : undefined),
    );
    await using other = upstreamServer(answersOnce(right));
    await using gateway = await startGateway({
      providers: [rowAt(server), rowAt(other, "other")],
      limits: { attempts },
    });
    await askAndFinish(gateway);
    const { status, attempts: made } = await askAndFinish(gateway);
    assert.equal(status, others === 0 ? 502 : 200);
    assert.equal(made.length, sends + others);
    assert.deepEqual([server.requests, other.requests], [1 + sends, others]);
  });
}

/** Closes a connection that was not used for so long, whether or not a request is on its way. */
const IDLE_MS = 200;

async function closesIdle(connection: UpstreamConnection): Promise<void> {
  for (
    let request = await connection.request();
    request !== undefined;
    request = await connection.request()
  ) {
    await connection.write(right(request));
    const before = connection.requests;
    setTimeout(() => connection.requests === before && connection.close(), IDLE_MS);
  }
}

Deno.test("U5 no client sees that a provider closes its connections when their idle time is over", async () => {
  await using server = upstreamServer(closesIdle);
  await using gateway = await startGateway({ providers: [rowAt(server)] });
  const [waves, callers] = [all ? 200 : 12, 25];
  const counts = { failed: 0, twice: 0, more: 0 };
  for (let wave = 0; wave < waves; wave++) {
    await Promise.all(Array.from({ length: callers }, async (_, caller) => {
      const body = { model: "mock/model", input: "Hi", stream: caller % 2 === 0 };
      const headers = { "x-service-metadata": "enabled" };
      const response = await ask(gateway, body, { headers });
      const text = await response.text();
      if (response.status !== 200 || !text.includes('"ok"')) counts.failed++;
      const attempt = Number(/"attempt":(\d+)/.exec(text)?.[1]);
      if (attempt === 2) counts.twice++;
      if (attempt > 2) counts.more++;
    }));
    // From 70 ms before the idle time, and the delay of connections over, to 20 ms behind it.
    const gap = IDLE_MS - 70 + (wave * 17) % 91;
    await new Promise((resolve) => setTimeout(resolve, gap));
  }
  // The provider's own timers end.
  await Promise.all(server.connections.map((connection) => connection.gone()));
  console.log(
    `${waves * callers} requests: ${JSON.stringify(counts)}, connections ${server.connections.length}`,
  );
  assert.deepEqual([counts.failed, counts.more], [0, 0]);
  // What the provider had closed before it read the request is an attempt too.
  assert.ok(server.requests <= waves * callers + counts.twice);
});
