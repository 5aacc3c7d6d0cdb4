/** Tests that nothing without a price is free: the tools that providers run, and service tiers. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, startGateway } from "../support/gateway.ts";
import { frame, says, type Script, scripted, sse, wholeText } from "../support/scripted.ts";
import { type ApiName, call, framesOf, price, pricedAt, receiptOf, usageIn } from "./rig.ts";

const hello = says("responses", "one two three");

/** A model with these prices beside those of its tokens. */
const modelOf = (prices: Json, id = "mock/model") => ({
  ...mockModel,
  id,
  max_output_tokens: 20_000,
  pricing: { ...price, ...prices },
});

interface Case {
  readonly what: string;
  readonly more: Json;
  /** Prices that make it known. */
  readonly prices: Json;
}

const cases: readonly Case[] = [
  { what: "the tool web_search", more: { tools: [{ type: "web_search" }] }, prices: { web_search: "0.01" } },
  {
    what: "the tool file_search",
    more: { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
    prices: { file_search: "0.0025" },
  },
  {
    what: "the tool code_interpreter",
    more: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    prices: { code_interpreter: "0.03" },
  },
  {
    what: "the tool image_generation",
    more: { tools: [{ type: "image_generation" }] },
    prices: { image_output: "0.00004" },
  },
];

async function metadataOf(response: Response): Promise<Json> {
  const { error } = asObject(await response.json());
  return asObject(asObject(error).metadata);
}

for (const { what, more, prices } of cases) {
  Deno.test(`under a limit ${what} is refused as long as it has no price, and set aside with one`, async () => {
    await using upstream = scripted(hello);
    const models = [modelOf({}), modelOf(prices, "mock/told")];
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { models })] });
    const key = await gateway.addKey({ kind: "api", limit: 100 });
    for (const stream of [false, true]) {
      const refused = await call(gateway, { key, more, stream, cap: 300 });
      assert.equal(refused.status, 404);
      assert.equal((await metadataOf(refused)).unpriced, what);
    }
    assert.equal(upstream.requested.length, 0);
    const plain = await receiptOf(gateway, await read(call(gateway, { key, model: "mock/told", cap: 300 })));
    const tiered = await receiptOf(
      gateway,
      await read(call(gateway, { key, model: "mock/told", more, cap: 300 })),
    );
    assert.equal(tiered.status, "completed");
    assert(tiered.reserved >= plain.reserved);
    assert.equal(tiered.unpriced, false);
    const free = await read(call(gateway, { key: gateway.apiKey, more, cap: 300 }));
    assert.equal(free.status, 200, "nobody limits it");
  });
}

async function read(response: Promise<Response>): Promise<Response> {
  const answered = await response;
  await answered.text();
  return answered;
}

Deno.test("what has no price at one endpoint is asked of another, also a dearer one", async () => {
  await using upstream = scripted(hello);
  await using gateway = await startGateway({
    providers: [
      pricedAt(upstream.baseUrl, { id: "first" }),
      pricedAt(upstream.baseUrl, { id: "other", models: [modelOf({ web_search: "0.01" })] }),
    ],
  });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const more = { tools: [{ type: "web_search" }], provider: { order: ["first", "other"] } };
  const receipt = await receiptOf(gateway, await read(call(gateway, { key, more, cap: 300 })));
  assert.deepEqual([receipt.status, receipt.endpoint_id?.startsWith("other")], ["completed", true]);
});

Deno.test("a tool that is not offered to an endpoint needs no price there", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const more = { tools: [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }] };
  const [plain, reported] = [
    await receiptOf(gateway, await read(call(gateway, { key, cap: 300 }))),
    await receiptOf(gateway, await read(call(gateway, { key, more, cap: 300 }))),
  ];
  assert.equal(reported.status, "completed");
  assert(reported.reserved - plain.reserved < 5_000_000, "nothing is set aside for what it cannot do");
});

Deno.test("explain names what has no price", async () => {
  await using upstream = scripted(hello);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const response = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi", tools: [{ type: "web_search" }] }),
  });
  const { would_be, refusal } = asObject(asObject(await response.json()).reservation);
  assert.deepEqual([would_be, asObject(refusal).status], ["refused", 404]);
});

const items: readonly Json[] = [
  { id: "fs_1", type: "file_search_call", status: "completed", queries: ["a"], results: null },
  { id: "fs_2", type: "file_search_call", status: "completed", queries: ["b"], results: null },
  { id: "ci_1", type: "code_interpreter_call", status: "completed", container_id: "cntr_1", code: "1" },
  { id: "ci_2", type: "code_interpreter_call", status: "completed", container_id: "cntr_1", code: "2" },
  { id: "ci_3", type: "code_interpreter_call", status: "completed", container_id: "cntr_2", code: "3" },
];

/** An answer in which the provider used its tools. */
const used: Script = ({ body }) => {
  const whole = wholeText("responses", "one two three");
  const output = [...items, ...asList(whole.output)];
  const response = { ...whole, output };
  if (body.stream !== true) return Response.json(response);
  const events = output.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...asObject(item), status: "in_progress" } },
    { type: "response.output_item.done", output_index, item },
  ]);
  const all = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...events,
    { type: "response.completed", response },
  ];
  return sse(all.map((event, sequence_number) => frame({ ...event, sequence_number })));
};

const tools = [
  { type: "file_search", vector_store_ids: ["vs_1"] },
  { type: "code_interpreter", container: { type: "auto" } },
];

interface Billed {
  readonly gateway: Gateway;
  readonly api: ApiName;
  readonly stream: boolean;
}

async function billed({ gateway, api, stream }: Billed, more: Json = { tools }) {
  const response = await call(gateway, { key: gateway.apiKey, api, stream, more, cap: 300 });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const usage = stream ? usageIn(framesOf(text)) : asObject(asObject(JSON.parse(text)).usage);
  return { usage, receipt: await receiptOf(gateway, response) };
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";
  Deno.test(`searches of files and containers are charged by the piece (${how})`, async () => {
    await using upstream = scripted(used);
    const models = [modelOf({ file_search: "0.0025", code_interpreter: "0.03" })];
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { models })] });
    const { usage, receipt } = await billed({ gateway, api: "responses", stream });
    // Two searches, two containers, and 13,000 nano-USD of tokens.
    assert.equal(receipt.cost, 2 * 2_500_000 + 2 * 30_000_000 + 13_000);
    assert.equal(receipt.server_tool_cost, 65_000_000);
    assert.deepEqual([receipt.usage.file_searches, receipt.usage.code_containers], [2, 2]);
    assert.equal(receipt.unpriced, false);
    assert.equal(usage.cost, 0.065013);
    assert.equal(asObject(usage.cost_details).server_tool_cost, 0.065);
    const large = [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }];
    const more = await billed({ gateway, api: "responses", stream }, { tools: large });
    assert.equal(more.receipt.usage.code_containers, 8, "four times the size");
  });

  Deno.test(`a tool without a price shows on the receipt where nobody limits it (${how})`, async () => {
    await using upstream = scripted(used);
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl)] });
    const { receipt } = await billed({ gateway, api: "responses", stream });
    assert.deepEqual([receipt.unpriced, receipt.cost], [true, 13_000]);
  });

  Deno.test(`a tier without a price is charged at the dearest multiple known, and marked (${how})`, async () => {
    await using upstream = scripted(hello);
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl)] });
    const limited = await gateway.addKey({ kind: "api", limit: 100 });
    const receipts: unknown[] = [];
    for (const service_tier of ["priority", "scale", "flex", "default", "auto"]) {
      for (const key of [gateway.apiKey, limited]) {
        const response = await read(call(gateway, { key, stream, more: { service_tier }, cap: 300 }));
        assert.equal(response.status, 200);
        const { cost, unpriced, unpriced_tier, reserved } = await receiptOf(gateway, response);
        receipts.push([cost, unpriced, unpriced_tier === true]);
        assert.ok(key === gateway.apiKey || reserved >= cost, service_tier);
      }
    }
    const dear = [32_500, false, true];
    const fallback = [13_000, false, false];
    assert.deepEqual(receipts, [
      dear,
      dear,
      dear,
      dear,
      fallback,
      fallback,
      fallback,
      fallback,
      fallback,
      fallback,
    ]);
  });

  Deno.test(`a tier with a price is charged by it, and reserved for by those who request it (${how})`, async () => {
    await using upstream = scripted(hello);
    const overrides = [
      { service_tier: "flex", prompt: "0.0000005", completion: "0.000001" },
      { service_tier: "priority", prompt: "0.000002", completion: "0.000004" },
    ];
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { models: [modelOf({ overrides })] })],
    });
    const key = await gateway.addKey({ kind: "api", limit: 100 });
    const [flex, priority, fallback] = await Promise.all(
      ["flex", "priority", "default"].map(async (service_tier) =>
        await receiptOf(gateway, await read(call(gateway, { key, stream, more: { service_tier }, cap: 300 })))
      ),
    );
    assert.deepEqual([flex?.cost, priority?.cost, fallback?.cost], [6_500, 26_000, 13_000]);
    // The bodies differ by a few bytes.
    const apart = Math.abs((flex?.reserved ?? 0) - (fallback?.reserved ?? Infinity));
    assert.ok(apart < 10_000, "it may be served in the usual tier");
    assert.equal(priority?.unpriced_tier, undefined);
    assert.ok((priority?.reserved ?? 0) > 1.9 * (fallback?.reserved ?? Infinity));
  });
}

Deno.test("the built-in models need no prices for what they do not do", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const key = await gateway.addKey({ kind: "api", limit: 0 });
  for (const { more } of cases) {
    const response = await call(gateway, { key, model: "local/echo", more, cap: 300 });
    assert.equal(response.status, 200, await response.text());
  }
});
