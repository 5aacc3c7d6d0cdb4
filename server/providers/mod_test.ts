import assert from "node:assert/strict";
import { isApart } from "./endpoint.ts";
import { traitsOf } from "./family_traits.ts";
import type { Pricing } from "./endpoint.ts";
import { type ConfigSource, readConfig } from "../config/config.ts";
import { faultModelKinds } from "./rows/local_provider.ts";
import { createProviders, type ProviderRegistry, providerSettings } from "./mod.ts";
import { perToken } from "./rows/provider_row.ts";

const server = { baseUrl: "http://127.0.0.1:4000/v1", headers: { "x-local": "1" } };

/** The providers of an environment and, perhaps, a configuration file. */
function providersOf(env: Readonly<Record<string, string>> = {}, file?: object): ProviderRegistry {
  const all: Readonly<Record<string, string>> = file ? { ...env, TOLLGATE_CONFIG: "f" } : env;
  const source: ConfigSource = {
    env: (name) => all[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  };
  return createProviders(readConfig(source, providerSettings), server);
}

const ids = ({ providers }: ProviderRegistry) => providers.map(({ id }) => id);
const endpointIds = (found: ProviderRegistry, model: string) => found.resolve(model).map(({ id }) => id);

Deno.test("createProviders serves the simulated models unless told otherwise", () => {
  const found = providersOf();
  assert.deepEqual(ids(found), ["local"]);
  const [echo] = found.resolve("local/echo");
  assert.equal(echo?.provider.baseUrl, server.baseUrl);
  assert.deepEqual(echo?.provider.headers, server.headers);
  assert.equal(echo?.provider.wire, "responses");
  assert.match(echo?.model.description ?? "", /^A simulated model/);
  const tokens = (pricing: Pricing | null | undefined) => [pricing?.prompt, pricing?.completion];
  assert.deepEqual(tokens(echo?.pricing), ["0", "0"]);
  const [priced] = found.resolve("local/priced");
  assert.equal(priced?.model.hidden, true);
  assert.deepEqual(tokens(priced?.pricing), ["0.000001", "0.000001"]);
  assert.deepEqual(found.resolve("fault/slow"), []);
  assert.deepEqual(ids(providersOf({ TOLLGATE_LOCAL: "off" })), []);
});

Deno.test("createProviders serves a model for every fault in the fault lab", () => {
  const found = providersOf({ TOLLGATE_FAULT_LAB: "on" });
  assert.deepEqual(ids(found), ["local", "fault"]);
  for (const kind of Object.keys(faultModelKinds)) {
    assert.equal(found.resolve(`fault/${kind}`)[0]?.upstreamModel, `fault/${kind}`);
  }
});

Deno.test("createProviders switches OpenAI on with its key", () => {
  const found = providersOf({ OPENAI_API_KEY: "sk-test", TOLLGATE_LOCAL: "off" });
  assert.deepEqual(ids(found), ["openai"]);
  const [endpoint] = found.resolve("openai/gpt-4o-mini");
  assert.equal(endpoint?.id, "openai|openai/gpt-4o-mini|gpt-4o-mini");
  assert.equal(endpoint?.provider.baseUrl, "https://api.openai.com/v1");
  assert.deepEqual(endpoint?.provider.headers, { authorization: "Bearer sk-test" });
  assert.equal(endpoint?.pricing?.prompt, "0.00000015");
  const elsewhere = providersOf({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://mock.example/v1/" });
  assert.equal(elsewhere.resolve("openai/gpt-5")[0]?.provider.baseUrl, "http://mock.example/v1");
  assert.deepEqual(
    ids(providersOf({ OPENAI_BASE_URL: "http://mock.example/v1", TOLLGATE_LOCAL: "off" })),
    [],
  );
});

Deno.test("OpenAI's table is complete and in step", () => {
  const models = providersOf({ OPENAI_API_KEY: "k", TOLLGATE_LOCAL: "off" }).endpoints.filter(({ model }) =>
    !model.outputModalities.every(isApart)
  );
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  for (const { model, pricing, maxOutputTokens } of models) {
    assert.ok(Number.isInteger(model.created) && model.created > 1_700_000_000, model.id);
    assert.ok((model.contextLength ?? 0) > (maxOutputTokens ?? Infinity), model.id);
    assert.ok(pricing, model.id);
    assert.ok(Number(pricing.completion) > Number(pricing.prompt), model.id);
    assert.ok(Number(pricing.inputCacheRead ?? 0) < Number(pricing.prompt), model.id);
  }
});

Deno.test("createProviders switches servers of one's own on with their address", () => {
  const found = providersOf({
    OLLAMA_BASE_URL: "on",
    VLLM_BASE_URL: "http://gpu:8000/v1",
    VLLM_API_KEY: "v",
    TOLLGATE_LOCAL: "off",
    LMSTUDIO_API_KEY: "unused",
  });
  assert.deepEqual(ids(found), ["ollama", "vllm"]);
  const [ollama] = found.resolve("ollama/hf.co/some/model:8b");
  assert.equal(ollama?.upstreamModel, "hf.co/some/model:8b");
  assert.equal(ollama?.provider.baseUrl, "http://127.0.0.1:11434/v1");
  assert.deepEqual(ollama?.provider.headers, {});
  assert.equal(ollama?.provider.quirks.developerRole, "system");
  assert.equal(ollama?.provider.quirks.rename?.max_completion_tokens, "max_tokens");
  assert.equal(ollama?.pricing, null);
  assert.deepEqual(found.resolve("vllm/m")[0]?.provider.headers, { authorization: "Bearer v" });
  const rest = providersOf({
    LMSTUDIO_BASE_URL: "on",
    LLAMACPP_BASE_URL: "on",
    OPENAI_COMPATIBLE_BASE_URL: "https://x.example/v1",
  });
  assert.deepEqual(ids(rest), ["lmstudio", "llamacpp", "compatible", "local"]);
});

Deno.test("resolve finds nothing for names that are none", () => {
  const found = providersOf({ OLLAMA_BASE_URL: "on" });
  for (
    const name of [
      "",
      "ollama",
      "ollama/",
      "/ollama",
      "ollama/a b",
      "ollama/\n",
      `ollama/${"x".repeat(201)}`,
      "echo",
      "local/other",
      "__proto__",
      "constructor/x",
    ]
  ) {
    assert.deepEqual(found.resolve(name), [], name);
  }
});

const model = { id: "acme/llama", upstream_id: "llama-70b", context_length: 8_000, max_output_tokens: 1_000 };
const acme = {
  id: "acme",
  wire: "chat",
  base_url: "https://a.example/v1",
  api_key_env: "ACME_KEY",
  headers: { "x-team": "t" },
  models: [{ ...model, pricing: { prompt: "0.1", completion: "0.2", input_cache_read: "0.05" } }],
};

Deno.test("createProviders serves the file's providers, a model at several of them in the file's order", () => {
  const second = {
    id: "second",
    wire: "responses",
    base_url: "http://b.example",
    models: [model],
    quirks: { pass_keys: ["min_p"], developer_role: "system", dialect: { think_tags: true } },
  };
  const found = providersOf({ ACME_KEY: "secret" }, { providers: [acme, second] });
  assert.deepEqual(endpointIds(found, "acme/llama"), [
    "acme|acme/llama|llama-70b",
    "second|acme/llama|llama-70b",
  ]);
  const [first, other] = found.resolve("acme/llama");
  assert.deepEqual(first?.provider.headers, { "x-team": "t", authorization: "Bearer secret" });
  assert.equal(first?.pricing?.inputCacheRead, "0.05");
  assert.equal(other?.pricing, null);
  assert.deepEqual(other?.provider.quirks.passKeys, ["min_p"]);
  assert.deepEqual(other?.provider.quirks.traits, ["think_tags"]);
  assert.deepEqual(found.resolve("acme/unknown"), [], "it is not open");
});

const dialects: readonly (readonly [dialect: object, traits: readonly string[]])[] = [
  [{ asks_reasoning: "thinking" }, ["thinking_switch"]],
  [{ asks_reasoning: "object" }, ["reasoning_object"]],
  [{ asks_reasoning: "effort", json_schema: true, think_tags: false }, []],
  [{ json_schema: false }, ["no_json_schema"]],
  [{ tool_choices: ["auto"] }, ["auto_choice_only"]],
  [{ tool_choices: ["auto", "none", "required"] }, ["no_named_choice"]],
  [{ tool_choices: ["auto", "required", "named"] }, ["no_none_choice"]],
  [{ tool_choices: ["required"] }, ["no_named_choice", "no_none_choice"]],
  [{ tool_choices: ["auto", "none", "required", "named"] }, []],
  [{ think_tags: true }, ["think_tags"]],
];

Deno.test("the dialect of earlier files is read as traits and efforts", () => {
  for (const [dialect, traits] of dialects) {
    const quirks = { traits: ["system_first"], dialect: { ...dialect, efforts: { max: "high" } } };
    const [endpoint] = providersOf({}, { providers: [{ ...acme, api_key_env: undefined, quirks }] })
      .resolve("acme/llama");
    assert.deepEqual(endpoint?.provider.quirks.traits, ["system_first", ...traits]);
    assert.deepEqual(endpoint.provider.quirks.efforts, { max: "high" });
  }
});

Deno.test("traitsOf joins those of the provider, of the model's row and of its family", () => {
  const quirks = { traits: ["system_first"] };
  const models = [{
    ...model,
    upstream_id: "google/gemini-3.5-flash",
    traits: ["user_last", "system_first"],
  }];
  const row = { id: "acme", wire: "chat", base_url: "http://a.example", models, quirks };
  const [endpoint] = providersOf({}, { providers: [row] }).resolve("acme/llama");
  assert.ok(endpoint);
  assert.deepEqual(traitsOf(endpoint), ["system_first", "user_last", "letter_names"]);
});

Deno.test("a provider of the file takes the place of a built-in one", () => {
  const own = {
    id: "openai",
    wire: "chat",
    base_url: "https://proxy.example/v1",
    models: [{ id: "openai/gpt-5" }],
  };
  const found = providersOf({ OPENAI_API_KEY: "k" }, { providers: [own] });
  assert.deepEqual(ids(found), ["openai", "local"]);
  assert.equal(found.resolve("openai/gpt-5")[0]?.provider.baseUrl, "https://proxy.example/v1");
  assert.deepEqual(found.resolve("openai/gpt-4o"), []);
});

Deno.test("providerSettings names every variable once and says what it does", () => {
  const names = providerSettings.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.equal(
    providerSettings.find(({ name }) => name === "OLLAMA_BASE_URL")?.description,
    "address of Ollama; switches it on (`on` means `http://127.0.0.1:11434/v1`)",
  );
  assert.equal(
    providerSettings.find(({ name }) => name === "OPENAI_COMPATIBLE_BASE_URL")?.description,
    "address of another OpenAI-compatible server; switches it on",
  );
});

Deno.test("perToken shifts the point and nothing else", () => {
  const cases = {
    "2.5": "0.0000025",
    "30": "0.00003",
    "0.005": "0.000000005",
    "1000000": "1",
    "1234567.89": "1.23456789",
    "0": "0",
    "10": "0.00001",
  };
  for (const [perMillion, expected] of Object.entries(cases)) assert.equal(perToken(perMillion), expected);
});

Deno.test("only aggregators report what they charge: OpenRouter, and rows of the file that say so", () => {
  const found = providersOf({ OPENROUTER_API_KEY: "k", GROQ_API_KEY: "k", PERPLEXITY_API_KEY: "k" }, {
    providers: [{ id: "mine", wire: "chat", base_url: "http://m.example", reports_cost: true }],
  });
  const reporting = found.providers.filter(({ reportsCost }) => reportsCost === true);
  assert.deepEqual(reporting.map(({ id }) => id).toSorted(), ["mine", "openrouter"]);
});
