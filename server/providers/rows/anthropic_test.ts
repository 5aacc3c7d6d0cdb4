import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { anthropic } from "./anthropic.ts";
import { plainSpelling } from "../model_spelling.ts";
import { createProviders, providerSettings } from "../mod.ts";

const find = (id: string) => {
  const data = anthropic.models.find(({ model }) => model.id === id);
  assert.ok(data, id);
  return data;
};

Deno.test("anthropic names models with a point, and has each once", () => {
  const { model, upstreamModel, maxOutputTokens } = find("anthropic/claude-opus-5.5");
  assert.deepEqual([upstreamModel, maxOutputTokens, model.name, model.contextLength, model.hidden], [
    "claude-opus-5-5",
    128_000,
    "Anthropic: Claude Opus 5.5",
    1_000_000,
    false,
  ]);
  const ids = anthropic.models.map(({ model }) => model.id);
  assert.equal(new Set(ids.map(plainSpelling)).size, ids.length, "every model once");
});

Deno.test("anthropic prices cache reads and writes by themselves, and longer prompts where they cost more", () => {
  assert.deepEqual(find("anthropic/claude-haiku-5.5").pricing, {
    prompt: "0.0000001",
    completion: "0.0000005",
    inputCacheRead: "0.00000001",
    inputCacheWrite: "0.000000125",
    inputCacheWrite1h: "0.0000002",
    overrides: [{
      prompt: "0.0000005",
      completion: "0.0000025",
      inputCacheRead: "0.00000005",
      inputCacheWrite: "0.000000625",
      inputCacheWrite1h: "0.000001",
      minPromptTokens: 100_000,
    }],
  });
});

Deno.test("anthropic lists every model with a price, a cap and a day", () => {
  for (const { model, pricing, maxOutputTokens } of anthropic.models) {
    assert.ok(pricing !== null && Number(pricing.prompt) > 0, model.id);
    assert.ok(Number(maxOutputTokens) >= 64_000 && model.created > 1_700_000_000, model.id);
  }
});

Deno.test("createProviders switches Anthropic on with its key, which goes into Anthropic's own header", () => {
  const env: Readonly<Record<string, string>> = { TOLLGATE_LOCAL: "off", ANTHROPIC_API_KEY: "sk-ant-test" };
  const config = readConfig({
    env: (name) => env[name],
    readFile: () => assert.fail("there is no file"),
    terminal: false,
  }, providerSettings);
  const [endpoint] = createProviders(config).resolve("anthropic/claude-sonnet-5.5");
  assert.equal(endpoint?.id, "anthropic|anthropic/claude-sonnet-5.5|claude-sonnet-5-5");
  assert.deepEqual(endpoint?.provider.headers, { "x-api-key": "sk-ant-test" });
  assert.equal(endpoint?.provider.baseUrl, "https://api.anthropic.com/v1");
});
