/**
 * M1: a limit cannot be passed, at any concurrency. A model that costs a third of its cost bound, 200 requests at
 * once, and a limit for a share of them: what is settled stays within the limit to the nano-dollar, and at least 95
 * in a hundred of those that fit are served.
 */

import assert from "node:assert/strict";
import { loadedForTest } from "../support/tokenizer.ts";
import { type Gateway, mockModel, patientCrowd, startGateway } from "../support/gateway.ts";
import { deltaFrame, endFrames, openingFrames, type Script, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { call, pricedAt, receiptOf, spentBy } from "./rig.ts";

const REQUESTS = 200;
const FITTING = 60;
const NANO = 1e-9;

/** About 650 tokens of input and 450 of output are reserved; 100 and 150 are used. */
const TEXT = "word ".repeat(40);
const INPUT = 100;
const OUTPUT = 150;
const CAP = 450;
/** Nano-USD at the rig's prices. */
const COST = INPUT * 1_000 + OUTPUT * 2_000;

const usage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };

const answering: Script = async ({ body }) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (body.stream !== true) {
    const choice = { index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" };
    return Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [choice],
      usage,
    });
  }
  const frames = [
    ...openingFrames("chat"),
    deltaFrame("chat", "done"),
    ...endFrames("chat", "done", { usage }),
  ];
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
};

interface Race {
  readonly gateway: Gateway;
  readonly key: string;
  readonly stream: (at: number) => boolean;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly refusals?: readonly number[];
}

/** How many were served. */
async function race({ gateway, key, stream, more, refusals = [402] }: Race): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, at) => {
      const response = await call(gateway, { key, stream: stream(at), text: TEXT, cap: CAP, more });
      const text = await response.text();
      if (response.status !== 200) return response.status;
      const receipt = await receiptOf(gateway, response);
      assert.equal(receipt.overrun, 0);
      assert(receipt.cost <= receipt.reserved, "no more was taken than was set aside");
      return text.includes("done") ? 200 : 0;
    }),
  );
  const odd = statuses.filter((status) => status !== 200 && !refusals.includes(status));
  assert.deepEqual(odd, [], "each is served, or refused for its money");
  return statuses.filter((status) => status === 200).length;
}

/** As long as an answer is, so the last ones that fit have the room that they reserve. */
const limit = (FITTING * COST + 1_000_000) * NANO;

for (
  const [name, stream] of Object.entries({
    whole: () => false,
    streamed: () => true,
    mixed: (at: number) => at % 2 === 0,
  })
) {
  Deno.test(`M1 200 requests at once never pass a limit for 60 of them (${name})`, async () => {
    await using upstream = scripted(answering);
    const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
    await using gateway = await startGateway({ providers, limits: patientCrowd });
    const key = await gateway.addKey({ kind: "api", limit });
    const served = await race({ gateway, key, stream });
    const spent = await spentBy(gateway, key);
    assert.equal(spent, served * COST);
    assert(spent <= limit / NANO, `${spent} of ${limit / NANO}`);
    assert(served >= 0.95 * FITTING, `${served} served`);
  });
}

Deno.test("M1 holds with fallbacks to a dearer model", async () => {
  await using broken = scripted(() => Response.json({ error: { message: "No." } }, { status: 503 }));
  await using upstream = scripted(answering);
  const dear = {
    ...mockModel,
    id: "mock/dear",
    max_output_tokens: 20_000,
    pricing: { prompt: "0.000002", completion: "0.000004" },
  };
  await using gateway = await startGateway({
    providers: [
      pricedAt(broken.baseUrl, { id: "broken", wire: "chat" }),
      pricedAt(upstream.baseUrl, { wire: "chat", models: [dear] }),
    ],
    limits: patientCrowd,
  });
  const key = await gateway.addKey({ kind: "api", limit: 2 * limit });
  const served = await race({
    gateway,
    key,
    stream: (at) => at % 3 === 0,
    more: { models: ["mock/dear"] },
    // Whose first provider failed is told of that, not of the fallback that it cannot pay.
    refusals: [402, 503],
  });
  const spent = await spentBy(gateway, key);
  assert.equal(spent, served * 2 * COST);
  assert(spent <= 2 * limit / NANO);
  assert(served >= 0.95 * FITTING, `${served} served`);
});

Deno.test("M1 holds with hang-ups, and what was cut is charged", async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  await using upstream = scripted(() => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const first = [...openingFrames("chat"), deltaFrame("chat", "x".repeat(100))].join("");
        controller.enqueue(new TextEncoder().encode(first));
        begun++;
        await gate.promise;
      },
      cancel: () => {},
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    limits: { reservation_seconds: 0.1 },
  });
  const key = await gateway.addKey({ kind: "api", limit: 0.05 });
  const outcomes = await Promise.all(Array.from({ length: REQUESTS }, async () => {
    const leave = new AbortController();
    const response = await call(gateway, { key, stream: true, text: TEXT, cap: CAP, signal: leave.signal });
    if (response.status !== 200) return (await response.text(), response.status);
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await assert.rejects(async () => await reader?.read());
    return 200;
  }));
  gate.resolve();
  assert(outcomes.every((status) => status === 200 || status === 402), String(new Set(outcomes)));
  const served = outcomes.filter((status) => status === 200).length;
  assert(served > 0 && begun === served);
  await until(() => gateway.logged.filter((line) => line.includes('"cancelled"')).length === served);
  await gateway.ledger.flush();
  const spent = await spentBy(gateway, key);
  const { countNow } = await loadedForTest();
  assert.equal(spent, served * (countNow(TEXT) * 1_000 + countNow("x".repeat(100)) * 2_000));
  assert(spent <= 0.05 / NANO);
});

Deno.test("M1 holds for the built-in priced model", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" }, limits: patientCrowd });
  const first = await call(gateway, { key: gateway.apiKey, model: "local/priced", text: TEXT, cap: 300 });
  await first.text();
  const { cost, reserved } = await receiptOf(gateway, first);
  assert(cost > 0);
  const key = await gateway.addKey({ kind: "api", limit: (20 * cost + reserved) * NANO });
  const statuses = await Promise.all(Array.from({ length: 100 }, async (_, at) => {
    const response = await call(gateway, {
      key,
      model: "local/priced",
      text: TEXT,
      cap: 300,
      stream: at % 2 === 0,
    });
    await response.text();
    return response.status;
  }));
  const served = statuses.filter((status) => status === 200).length;
  const spent = await spentBy(gateway, key);
  assert.equal(spent, served * cost);
  assert(spent <= 20 * cost + reserved);
  assert(served >= 19, `${served} served`);
});
