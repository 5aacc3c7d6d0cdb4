import assert from "node:assert/strict";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { isObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

/** Every kind of provider: of the snapshot, of the file, of one's own, and simulated. */
function gateway(): Promise<Gateway> {
  const models = [{
    id: "acme/odd",
    pricing: {
      prompt: "0.000001",
      completion: "0.000002",
      overrides: [{ min_prompt_tokens: 1000, prompt: "0.000003" }, {
        utc_start: 100,
        utc_end: 400,
        prompt: "0.1",
      }],
    },
    supported_parameters: ["tools", "tool_choice"],
    quantization: "fp8",
  }, { id: "acme/unpriced" }];
  return startGateway({
    providers: [
      { id: "acme", name: "Acme", wire: "chat", base_url: "http://127.0.0.1:9", region: "eu", models },
    ],
    env: {
      OPENAI_API_KEY: "k",
      GEMINI_API_KEY: "k",
      OLLAMA_BASE_URL: "on",
      TOLLGATE_LOCAL: "on",
    },
  });
}

/** The library marks what it cannot read as unknown instead of failing; nothing of ours may be. */
function assertKnown(value: unknown, path = "reply"): void {
  if (Array.isArray(value)) return value.forEach((one, at) => assertKnown(one, `${path}[${at}]`));
  if (!isObject(value)) return;
  assert.notEqual(value.isUnknown, true, `${path} is unknown: ${JSON.stringify(value)}`);
  for (const [key, inner] of Object.entries(value)) assertKnown(inner, `${path}.${key}`);
}

const clientOf = ({ url, apiKey }: Gateway) =>
  new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });

Deno.test("@openrouter/sdk models.list reads every page", async () => {
  await using running = await gateway();
  const client = clientOf(running);
  const seen: string[] = [];
  let total = 0;
  for await (const { result } of await client.models.list({ limit: 20, outputModalities: "all" })) {
    assertKnown(result);
    total = result.totalCount;
    seen.push(...result.data.map(({ id }) => id));
  }
  assert.equal(seen.length, total);
  assert.equal(new Set(seen).size, total);
  assert.ok(seen.includes("openai/gpt-5") && seen.includes("acme/odd") && seen.includes("local/echo"));
});

Deno.test("@openrouter/sdk models.list passes on filters and orders", async () => {
  await using running = await gateway();
  const client = clientOf(running);
  const list = async (query: Parameters<typeof client.models.list>[0]) => {
    const { result } = await client.models.list(query);
    return result.data;
  };
  const cheap = await list({ providers: "openai", maxPrice: 1, sort: "pricing-low-to-high" });
  assert.ok(cheap.length > 1);
  const prices = cheap.map(({ pricing }) => Number(pricing.prompt) + Number(pricing.completion));
  assert.deepEqual(prices, prices.toSorted((a, b) => a - b));
  assert.deepEqual((await list({ zdr: "true" })).map(({ id }) => id), ["local/echo", "local/image"]);
  assert.deepEqual((await list({ region: "eu" })).map(({ id }) => id), ["acme/odd", "acme/unpriced"]);
});

Deno.test("@openrouter/sdk reads counts, single models, one's own models and providers", async () => {
  await using running = await gateway();
  const client = clientOf(running);
  const { data: { count } } = await client.models.count();
  const { result } = await client.models.listForUser({ bearer: running.apiKey });
  assert.equal(result.totalCount, count);
  const one = await client.models.get({ author: "openai", slug: "gpt-5" });
  assertKnown(one);
  assert.equal(one.data.id, "openai/gpt-5");
  assert.equal(typeof one.data.benchmarks?.artificialAnalysis?.codingIndex, "number");
  const providers = await client.providers.list();
  assertKnown(providers);
  assert.deepEqual(providers.data.map(({ slug }) => slug).sort(), [
    "acme",
    "google",
    "local",
    "ollama",
    "openai",
  ]);
});

Deno.test("@openrouter/sdk reads endpoints", async () => {
  await using running = await gateway();
  const client = clientOf(running);
  const odd = await client.endpoints.list({ author: "acme", slug: "odd" });
  assertKnown(odd);
  const [endpoint] = odd.data.endpoints;
  assert.equal(endpoint?.tag, "acme/fp8");
  assert.equal(endpoint?.quantization, "fp8");
  assert.equal(endpoint?.uptimeLast5m, null);
  assert.equal(endpoint?.latencyLast30m, null);
  assert.equal(endpoint?.pricing.overrides?.[1]?.utcEnd, 400);
  assert.equal(endpoint?.supportsToolChoice.required, true);
  const zdr = await client.endpoints.listZdrEndpoints();
  assertKnown(zdr);
  assert.deepEqual(zdr.data.map(({ modelId }) => modelId), [
    "local/echo",
    "local/image",
    "local/voice",
    "local/embed",
  ]);
});

Deno.test("openai models.list and models.retrieve read the catalog", async () => {
  await using running = await gateway();
  const client = new OpenAI({ baseURL: `${running.url}/v1`, apiKey: running.apiKey, maxRetries: 0 });
  const { data } = await client.models.list();
  const listed = data.find(({ id }) => id === "acme/odd");
  assert.equal(listed?.owned_by, "acme");
  assert.equal((await client.models.retrieve("openai/gpt-5")).object, "model");
  assert.equal((await client.models.retrieve("ollama/hf.co/some/model:8b")).id, "ollama/hf.co/some/model:8b");
  await assert.rejects(client.models.retrieve("nobody/nothing"), OpenAI.NotFoundError);
});
