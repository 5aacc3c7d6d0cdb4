import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, type Script, scripted } from "../support/scripted.ts";
import {
  apiNames,
  call,
  framesOf,
  price,
  pricedAt,
  receiptOf,
  reservedWith,
  spentBy,
  usageIn,
} from "./rig.ts";
import { until } from "../support/until.ts";

/** 13,000 nano-USD an answer. */
const answer = says("chat", "one two three");
/** Tokens of output below which no cap is lowered. */
const LEAST = 256;
const free = { ...mockModel, id: "mock/free", pricing: { prompt: "0", completion: "0" } } as const;

function metadataOf(body: Json): Json {
  const error = asObject(body.error);
  return asObject("details" in error ? error.details : error.metadata);
}

async function spend(gateway: Gateway, key: string): Promise<void> {
  const response = await call(gateway, { key, cap: 300 });
  assert.equal(response.status, 200, await response.text());
}

for (const api of apiNames) {
  for (const stream of [false, true]) {
    Deno.test(`a spent key is refused with the numbers (${api}, ${stream ? "streamed" : "whole"})`, async () => {
      await using upstream = scripted(answer);
      await using gateway = await startGateway({
        providers: [
          pricedAt(upstream.baseUrl, { wire: "chat" }),
          providerAt(upstream.baseUrl, { id: "free", wire: "chat", models: [free] }),
        ],
      });
      const limit = (await reservedWith(gateway, LEAST) + 4_000) / 1e9;
      const key = await gateway.addKey({ kind: "api", limit, limitReset: "daily" });
      await spend(gateway, key);
      const refused = await call(gateway, { api, key, stream, cap: 600 });
      const body = asObject(await refused.json());
      assert.equal(refused.status, 402, JSON.stringify(body));
      const { resets_at, ...metadata } = metadataOf(body);
      assert.equal(new Date(String(resets_at)).getUTCHours(), 0);
      const { error_type: _, ...numbers } = metadata;
      assert.deepEqual(numbers, {
        limit_source: "key",
        limit_usd: limit,
        spend_usd: 0.000013,
        reserved_usd: 0,
      });
      const receipt = await receiptOf(gateway, refused);
      assert.deepEqual([receipt.status, receipt.cost, receipt.error?.status], ["refused", 0, 402]);
      const passed = await call(gateway, { api, key, stream, model: "mock/free", cap: 600 });
      assert.equal(passed.status, 200, await passed.text());
      assert.equal(await spentBy(gateway, key), 13_000);
    });
  }
}

Deno.test("a limit of zero lets free models through and nothing else", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    providers: [
      pricedAt(upstream.baseUrl, { wire: "chat" }),
      providerAt(upstream.baseUrl, { id: "free", wire: "chat", models: [free] }),
    ],
  });
  const key = await gateway.addKey({ kind: "api", limit: 0 });
  for (const api of apiNames) {
    const refused = await call(gateway, { api, key });
    assert.equal(refused.status, 402, await refused.text());
    const passed = await call(gateway, { api, key, model: "mock/free" });
    assert.equal(passed.status, 200, await passed.text());
  }
  assert.equal(upstream.requested.length, 3);
  const both = await call(gateway, { key, model: "mock/model", more: { models: ["mock/free"] } });
  assert.equal(
    asObject(await both.json()).model,
    "mock/free",
    "a free fallback passes where the first does not",
  );
});

Deno.test("a fallback that fits serves where a dearer model does not, and nobody's health suffers", async () => {
  await using upstream = scripted(answer);
  const models = [
    { ...mockModel, id: "mock/dear", pricing: { prompt: "0.001", completion: "0.001" } },
    { ...mockModel, id: "mock/cheap", pricing: { prompt: "0.000001", completion: "0.000002" } },
  ];
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat", models })],
  });
  const key = await gateway.addKey({ kind: "api", limit: 0.01 });
  const headers = { "x-service-metadata": "enabled" };
  const more = { models: ["mock/cheap"] };
  for (let at = 0; at < 5; at++) {
    const response = await call(gateway, { key, model: "mock/dear", more, headers, cap: 300 });
    const body = asObject(await response.json());
    assert.equal(body.model, "mock/cheap", JSON.stringify(body));
    const { params } = asObject(body.service_metadata);
    assert.deepEqual(asObject(params).excluded, [{
      model: "mock/dear",
      provider: "Mock",
      excluded_by: "limit",
    }]);
  }
  const dear = await call(gateway, { key: gateway.apiKey, model: "mock/dear", more, cap: 300 });
  assert.equal(asObject(await dear.json()).model, "mock/dear", "it was never taken for broken");
});

Deno.test("without a cap a request under a limit reserves and sends the usual one, and none otherwise", async () => {
  const wires = ["chat", "responses"] as const;
  for (const wire of wires) {
    await using upstream = scripted(says(wire, "one two three"));
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })] });
    const key = await gateway.addKey({ kind: "api", limit: 10 });
    const limited = await call(gateway, { key });
    await limited.text();
    await (await call(gateway, { key: gateway.apiKey })).text();
    await (await call(gateway, { key, cap: 77 })).text();
    await (await call(gateway, { key: gateway.apiKey, cap: 50_000 })).text();
    const name = wire === "chat" ? "max_completion_tokens" : "max_output_tokens";
    assert.deepEqual(upstream.requested.map(({ body }) => body[name]), [8_192, undefined, 77, 20_000]);
    const receipt = await receiptOf(gateway, limited);
    assert.equal(receipt.output_cap, null, "nothing that was asked for was lowered");
    assert(receipt.reserved > 8_192 * 2_000 && receipt.reserved < 8_192 * 2_000 + 2_000_000);
  }
});

Deno.test("the usual cap is a setting, and a model's own cap is never passed", async () => {
  await using upstream = scripted(answer);
  const models = [{
    ...mockModel,
    max_output_tokens: 500,
    pricing: { prompt: "0.000001", completion: "0.000001" },
  }];
  await using gateway = await startGateway({
    providers: [
      pricedAt(upstream.baseUrl, { wire: "chat" }),
      pricedAt(upstream.baseUrl, {
        id: "small",
        wire: "chat",
        models: models.map((one) => ({ ...one, id: "mock/small" })),
      }),
    ],
    limits: { default_output_tokens: 1_000 },
  });
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  await (await call(gateway, { key })).text();
  await (await call(gateway, { key, model: "mock/small" })).text();
  await (await call(gateway, { key, model: "mock/small", cap: 100_000 })).text();
  assert.deepEqual(upstream.requested.map(({ body }) => body.max_completion_tokens), [1_000, 500, 500]);
});

Deno.test("a cap is lowered for what is spent, and told so", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 0.003 });
  const headers = { "x-service-metadata": "enabled" };
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const response = await call(gateway, { api, stream, key, headers, cap: 5_000 });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const cap = Number(upstream.requested.at(-1)?.body.max_completion_tokens);
      assert(cap >= 256 && cap < 1_500, String(cap));
      const receipt = await receiptOf(gateway, response);
      assert.equal(receipt.output_cap, cap);
      assert(receipt.reserved <= 3_000_000);
      assert(text.includes(`"output_cap":${cap}`), "the routing metadata names it");
    }
  }
});

Deno.test("wires that demand a cap get the one that was reserved", async () => {
  for (
    const [wire, path] of [
      ["messages", ["max_tokens"]],
      ["gemini", ["generationConfig", "maxOutputTokens"]],
      [
        "bedrock",
        ["inferenceConfig", "maxTokens"],
      ],
    ] as const
  ) {
    // What it answers does not matter here.
    await using upstream = scripted(() => Response.json({ error: { message: "No." } }, { status: 400 }));
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })] });
    const key = await gateway.addKey({ kind: "api", limit: 10 });
    await (await call(gateway, { key })).text();
    const { body = {} } = upstream.requested[0] ?? {};
    const cap = path.reduce<unknown>((value, name) => asObject(value)[name], body);
    assert.equal(cap, 8_192, wire);
  }
});

Deno.test("GET /key tells limits, what is left of them, and what was spent", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 0.5, limitReset: "monthly" });
  await spend(gateway, key);
  const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  const data = asObject(asObject(await response.json()).data);
  assert.deepEqual(
    [data.limit, data.limit_remaining, data.limit_reset, data.usage, data.usage_daily, data.byok_usage],
    [0.5, 0.499987, "monthly", 0.000013, 0.000013, 0],
  );
});

Deno.test("one who fits beside what is spent waits for open calls, then is refused with Retry-After", async () => {
  const gate = Promise.withResolvers<void>();
  await using upstream = scripted(async (requested, number) => {
    if (number === 0) await gate.promise;
    return await answer(requested, number);
  });
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
    limits: { reservation_seconds: 0.05 },
  });
  const key = await gateway.addKey({ kind: "api", limit: 0.0015 });
  const first = call(gateway, { key, cap: 300 });
  await until(() => upstream.requested.length > 0);
  for (const api of apiNames) {
    const late = await call(gateway, { api, key, cap: 300 });
    const body = asObject(await late.json());
    assert.equal(late.status, 402, JSON.stringify(body));
    assert.equal(late.headers.get("retry-after"), "1");
    assert(Number(metadataOf(body).reserved_usd) > 0.0006);
  }
  gate.resolve();
  assert.equal((await first).status, 200, await (await first).text());
  const next = await call(gateway, { key, cap: 300, stream: true });
  assert.equal(usageIn(framesOf(await next.text())).cost, 0.000013);
});

Deno.test("explain says what would be reserved, and what stands in the way", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const key = await gateway.addKey({ kind: "api", limit: 0.0015 });
  const explained = async (cap: number) => {
    const response = await fetch(`${gateway.url}/v1/route/explain`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "mock/model", input: "Hi", max_output_tokens: cap }),
    });
    return asObject(asObject(await response.json()).reservation);
  };
  const before = await explained(300);
  assert.equal(before.would_be, "allowed");
  const response = await call(gateway, { key, cap: 300 });
  await response.text();
  assert.equal(before.reserved_usd, (await receiptOf(gateway, response)).reserved / 1e9);
  const [limit] = asList((await explained(300)).limits);
  assert.deepEqual(limit, {
    source: "key",
    name: "The key's limit",
    period: "lifetime",
    limit_usd: 0.0015,
    spend_usd: 0.000013,
    reserved_usd: 0,
  });
  const lowered = await explained(5_000);
  assert.deepEqual([lowered.would_be, lowered.lowered], ["allowed", true]);
  const small = await gateway.addKey({ kind: "api", limit: 0.000001 });
  const refused = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${small}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi" }),
  });
  const { would_be, refusal } = asObject(asObject(await refused.json()).reservation);
  assert.equal(would_be, "refused");
  const real = await call(gateway, { key: small });
  const { error } = asObject(await real.json());
  assert.equal(asObject(refusal).status, real.status);
  assert.equal(asObject(refusal).message, asObject(error).message);
});

Deno.test("a screenshot that is only named is set aside as a picture, and one that is sent not as text", async () => {
  await using upstream = scripted(says("responses", "one two three"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  const reserved = async (image_url: string) => {
    const input = [
      {
        type: "computer_call",
        id: "cu_1",
        call_id: "c",
        action: { type: "screenshot" },
        status: "completed",
      },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url } },
    ];
    const response = await call(gateway, { key, cap: 300, more: { input } });
    assert.equal(response.status, 200, await response.text());
    return (await receiptOf(gateway, response)).reserved;
  };
  // An image is 16,384 tokens at most at a model that nobody describes, a byte of text is one.
  const image = 16_384 * 1_000;
  const named = await reserved("https://a.example/screen.png");
  assert(named > image && named < image + 2_000_000, String(named));
  const sent = await reserved(`data:image/png;base64,${"A".repeat(100_000)}`);
  assert(sent > image && sent < image + 2_000_000, String(sent));
});

Deno.test("a limit that is lowered under what is spent lets calls under way finish, and no other begin", async () => {
  const gate = Promise.withResolvers<void>();
  await using upstream = scripted(async (requested, number) => {
    if (number > 0) await gate.promise;
    return await answer(requested, number);
  });
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { record, key } = await createKey(gateway, { limit: 10 });
  await spend(gateway, key);
  const running = [false, true].map((stream) => call(gateway, { key, stream, cap: 300 }));
  await until(() => upstream.requested.length >= 3);
  const lowered = await managed(gateway, {
    call: `PATCH /keys/${record.hash}`,
    body: { limit: 0.000001 },
  });
  assert.equal(lowered.status, 200);
  for (const api of apiNames) {
    const refused = await call(gateway, { api, key, cap: 300 });
    const metadata = metadataOf(asObject(await refused.json()));
    assert.deepEqual([refused.status, metadata.limit_usd, metadata.spend_usd], [402, 0.000001, 0.000013]);
  }
  gate.resolve();
  for (const one of running) assert.equal((await one).status, 200, await (await one).text());
  assert.equal(await spentBy(gateway, key), 3 * 13_000, "and they are charged");
});

Deno.test("under a limit a provider is told to use its tools no more often than is set aside for", async () => {
  // What it answers does not matter here.
  const no: Script = () => Response.json({ error: { message: "No." } }, { status: 400 });
  await using upstream = scripted(no);
  const models = [{ ...mockModel, pricing: { ...price, web_search: "0.01", image_output: "0.00004" } }];
  const provider = (wire: string) => pricedAt(upstream.baseUrl, { id: wire, wire, models });
  await using gateway = await startGateway({ providers: [provider("messages"), provider("responses")] });
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 40 };
  const messages = { tools: [search], max_tool_calls: 1, provider: { only: ["messages"] } };
  await (await call(gateway, { key, api: "messages", more: messages })).text();
  assert.equal(asObject(asList(upstream.requested[0]?.body.tools)[0]).max_uses, 1);
  const tools = [{ type: "web_search" }, { type: "image_generation" }];
  await (await call(gateway, { key, more: { tools, provider: { only: ["responses"] } } })).text();
  assert.equal(upstream.requested[1]?.body.max_tool_calls, 5, "and each of them is set aside five times");
});
