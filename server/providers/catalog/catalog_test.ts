import assert from "node:assert/strict";
import { isApart } from "../endpoint.ts";
import { type ConfigSource, readConfig } from "../../config/config.ts";
import { createProviders, providerSettings } from "../mod.ts";
import { buildCatalog, type Catalog } from "./catalog.ts";
import type { SnapshotOfferJson } from "./snapshot_schema.ts";
import { emptySnapshot, loadSnapshot, readSnapshot, type Snapshot } from "./snapshot.ts";

const offer = (model: string, more: Partial<SnapshotOfferJson> = {}): SnapshotOfferJson => ({
  model,
  name: model,
  created: 1_700_000_000,
  context: 100_000,
  output: 10_000,
  inputs: ["text", "image"],
  outputs: ["text"],
  parameters: 0,
  tokenizer: "GPT",
  pricing: { prompt: "0.000001", completion: "0.000002" },
  priced: "prices",
  ...more,
});

const prices = { name: "prices 1", date: "2026-11-01" };

const small = readSnapshot({
  sources: { prices, limits: { name: "limits 1", date: "2026-11-02" }, rates: prices, providers: prices },
  parameters: [["tools", "temperature"]],
  aliases: { "~openai/gpt-latest": "openai/gpt-9" },
  scores: {
    "openai/gpt-9": [{ kind: "coding", benchmark: "B", value: 80, source: "S", date: "2026-11-01" }],
  },
  offers: {
    openai: {
      "gpt-9": offer("openai/gpt-9"),
      "gpt-5": offer("openai/gpt-5", {
        pricing: {
          prompt: "0.00000125",
          completion: "0.00001",
          overrides: [{ min_prompt_tokens: 9, prompt: "0.1" }],
        },
      }),
    },
    groq: { "open-model": offer("author/open-model") },
  },
});

interface Preference {
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: object;
  readonly snapshot?: Snapshot;
}

function catalogFor({ env = {}, file, snapshot = small }: Preference): Catalog {
  const all: Readonly<Record<string, string>> = { ...env, ...(file ? { TOLLGATE_CONFIG: "f" } : {}) };
  const source: ConfigSource = {
    env: (name) => all[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  };
  const config = readConfig(source, providerSettings);
  return buildCatalog({
    config,
    providers: createProviders(config, { baseUrl: "http://127.0.0.1:1" }),
    snapshot,
  });
}

const OPENAI = { OPENAI_API_KEY: "k" };

Deno.test("buildCatalog offers what the snapshot knows besides the rows of a provider", () => {
  const catalog = catalogFor({ env: OPENAI });
  const found = catalog.model("openai/gpt-9");
  assert.equal(found?.endpoints[0].id, "openai|openai/gpt-9|gpt-9");
  assert.deepEqual(found?.endpoints[0].pricedBy, prices);
  assert.deepEqual(found?.endpoints[0].scores, { coding: 80 });
  assert.deepEqual(found?.model.supportedParameters, ["tools", "temperature"]);
  assert.ok(catalog.models.some(({ model }) => model.id === "openai/gpt-9"));
  assert.equal(catalogFor({ env: OPENAI, snapshot: emptySnapshot }).model("openai/gpt-9")?.model.created, 0);
});

Deno.test("buildCatalog leaves a row's own price and adds the finer rates that agree with it", () => {
  const [endpoint] = catalogFor({ env: OPENAI }).resolve("openai/gpt-5");
  assert.equal(endpoint?.pricing?.inputCacheRead, "0.000000125", "the row's");
  assert.equal(endpoint?.pricing?.overrides?.[0]?.minPromptTokens, 9, "the snapshot's");
  const [other] = catalogFor({ env: OPENAI }).resolve("openai/gpt-4o");
  assert.equal(other?.pricing?.prompt, "0.0000025");
  assert.equal(other?.pricedBy, undefined);
});

Deno.test("buildCatalog follows other spellings, the operator's first", () => {
  assert.equal(catalogFor({ env: OPENAI }).model("~openai/gpt-latest")?.model.id, "openai/gpt-9");
  const file = { aliases: { "~openai/gpt-latest": "openai/gpt-5" } };
  assert.equal(catalogFor({ env: OPENAI, file }).model("~openai/gpt-latest")?.model.id, "openai/gpt-5");
});

Deno.test("a provider of the file takes from the snapshot what its rows leave out", () => {
  const models = [
    { id: "a/one", upstream_id: "open-model", context_length: 5 },
    { id: "openai/gpt-9", upstream_id: "mine" },
    { id: "x/unknown", pricing: { prompt: "1", completion: "2" } },
  ];
  const groq = { id: "groq", wire: "chat", base_url: "http://g.example", models };
  const catalog = catalogFor({ file: { providers: [groq] } });
  const [one, two, three] = models.map(({ id }) => catalog.model(id)?.endpoints[0]);
  assert.equal(one?.model.contextLength, 5, "the row's");
  assert.deepEqual(one?.model.inputModalities, ["text", "image"]);
  assert.equal(one?.pricing?.prompt, "0.000001");
  assert.equal(two?.model.contextLength, 100_000);
  assert.equal(two?.pricing, null, "OpenAI's price is not that of another");
  assert.equal(three?.pricing?.prompt, "1");
  assert.equal(three?.model.contextLength, null);
  assert.equal(catalog.model("author/open-model"), undefined, "it offers what it lists");
});

Deno.test("the operator's corrections have the last word", () => {
  const models = [
    {
      id: "openai/gpt-9",
      context_length: 7,
      pricing: { prompt: "3", completion: "4" },
      traits: ["no_json_object"],
    },
    { id: "openai/gpt-9", provider: "elsewhere", max_output_tokens: 1 },
    { id: "openai/gpt-5", hidden: true },
  ];
  const catalog = catalogFor({ env: OPENAI, file: { models } });
  const [endpoint] = catalog.resolve("openai/gpt-9");
  assert.equal(endpoint?.model.contextLength, 7);
  assert.equal(endpoint?.maxOutputTokens, 10_000);
  assert.equal(endpoint?.pricing?.prompt, "3");
  assert.deepEqual(endpoint?.traits, ["no_json_object"]);
  assert.equal(endpoint?.pricedBy, undefined);
  assert.ok(!catalog.models.some(({ model }) => model.id === "openai/gpt-5"));
  assert.ok(catalog.model("openai/gpt-5"), "it still works");
});

Deno.test("buildCatalog says what providers do with what callers send, where that is known", () => {
  const groq = {
    id: "groq",
    wire: "chat",
    base_url: "http://g.example",
    data_policy: { training: false, zdr: true },
  };
  const acme = { id: "acme", wire: "chat", base_url: "http://a.example" };
  const { providers } = catalogFor({ env: OPENAI, file: { providers: [groq, acme] } });
  const policies = Object.fromEntries(providers.map(({ id, dataPolicy }) => [id, dataPolicy]));
  assert.deepEqual(policies, {
    groq: { training: false, zdr: true },
    acme: undefined,
    openai: { training: false, zdr: false },
    local: { training: false, zdr: true },
  });
});

Deno.test("the installed snapshot is sound, and knows what this version's rows know", async () => {
  const snapshot = await loadSnapshot([{ id: "openai" }]);
  const { size } = await Deno.stat(new URL("./snapshot.json", import.meta.url));
  assert.ok(size <= 600_000, `${size} bytes`);
  for (const provider of ["openai", "anthropic", "google", "openrouter", "groq", "perplexity"]) {
    const offers = snapshot.offersOf(provider);
    assert.ok(offers.size > 0, provider);
    for (const [upstream, { pricing, output, context }] of offers) {
      assert.ok(output === null || context === null || output <= Math.max(context, output), upstream);
      assert.ok(pricing === null || Number(pricing.completion) >= 0, upstream);
    }
  }
  for (
    const { model, upstreamModel, speech } of catalogFor({ env: OPENAI, snapshot: emptySnapshot }).endpoints
  ) {
    // Models that speak or embed stand in this version's rows only.
    if (model.id.startsWith("openai/") && speech === undefined && !model.outputModalities.every(isApart)) {
      assert.ok(snapshot.offersOf("openai").has(upstreamModel), upstreamModel);
    }
  }
});
