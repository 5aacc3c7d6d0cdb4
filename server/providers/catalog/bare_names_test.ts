import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { createProviders, offServices, providerSettings } from "../mod.ts";
import { buildCatalog } from "./catalog.ts";
import { loadSnapshot } from "./snapshot.ts";

/** The catalog of a gateway with these settings and this configuration file. */
async function catalogOf(env: Readonly<Record<string, string>>, file: object = {}) {
  const all: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  const config = readConfig({
    env: (name) => all[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  }, providerSettings);
  const providers = createProviders(config);
  const snapshot = await loadSnapshot(providers.providers);
  return buildCatalog({ config, providers, snapshot, off: offServices(config) });
}

const both = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" };

/** Names as agents and people type them. */
const meant: readonly (readonly [string, string])[] = [
  ["gpt-5.5", "openai/gpt-5.5"],
  ["GPT-5.5", "openai/gpt-5.5"],
  ["gpt-5-mini", "openai/gpt-5-mini"],
  ["gpt-5-mini-2025-08-07", "openai/gpt-5-mini"],
  ["gpt-5.5-latest", "openai/gpt-5.5"],
  ["claude-opus-4-8", "anthropic/claude-opus-4.8"],
  ["claude-opus-4.8", "anthropic/claude-opus-4.8"],
  ["claude-opus-4-8[1m]", "anthropic/claude-opus-4.8"],
  ["claude-opus-4-8-20260115", "anthropic/claude-opus-4.8"],
  ["claude-opus-4-8@20260115", "anthropic/claude-opus-4.8"],
  ["claude-haiku-4-5", "anthropic/claude-haiku-4.5"],
  ["claude-haiku-4.5", "anthropic/claude-haiku-4.5"],
  ["claude-haiku-4-5[1m]", "anthropic/claude-haiku-4.5"],
  ["claude-haiku-4-5-latest", "anthropic/claude-haiku-4.5"],
  ["claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5-20251001"],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5"],
  ["claude-opus-4-5", "anthropic/claude-opus-4.5"],
];

Deno.test("a name without its author is the model of that name", async () => {
  const { resolve, model } = await catalogOf(both);
  for (const [name, id] of meant) {
    assert.deepEqual([...new Set(resolve(name).map((endpoint) => endpoint.model.id))], [id], name);
    assert.equal(model(name)?.model.id, id);
  }
  for (const name of ["gpt-99", "constructor", "__proto__", "", "x".repeat(10_000), "-latest", "[1m]"]) {
    assert.deepEqual(resolve(name), [], name);
  }
});

const shop = (id: string, models: readonly string[]) => ({
  id,
  wire: "chat",
  base_url: `https://${id}.example/v1`,
  models: models.map((model) => ({ id: model, upstream_id: model.split("/")[1] })),
});

Deno.test("of several models of one name it is the author's own, and else none", async () => {
  const own = await catalogOf({}, { providers: [shop("acme", ["acme/owl"]), shop("shop", ["other/owl"])] });
  assert.deepEqual(own.resolve("owl").map(({ model }) => model.id), ["acme/owl"]);
  const unclear = await catalogOf({}, { providers: [shop("shop", ["acme/owl", "other/owl"])] });
  assert.deepEqual(unclear.resolve("owl"), []);
  assert.equal(unclear.hintFor("owl"), "Several models have this name: acme/owl, other/owl.");
  const aliased = await catalogOf({}, {
    providers: [shop("shop", ["acme/owl", "other/owl"])],
    aliases: { owl: "other/owl" },
  });
  assert.deepEqual(aliased.resolve("owl").map(({ model }) => model.id), ["other/owl"]);
});

Deno.test("an alias stands for the first of its models that is served, and for models by their own names", async () => {
  const { resolve, resolveModel } = await catalogOf({}, {
    providers: [shop("shop", ["acme/owl", "acme/cat"])],
    aliases: {
      fast: "acme/owl",
      any: ["acme/none", "acme/cat"],
      none: ["acme/none", "acme/nobody"],
      "acme/owl": ["acme/cat", "acme/owl"],
      "team/all": "team/any",
      "team/any": "acme/cat",
    },
  });
  const found = (find: typeof resolve, name: string) => find(name).map(({ model }) => model.id);
  const expected: Readonly<Record<string, readonly [alias: readonly string[], own: readonly string[]]>> = {
    fast: [["acme/owl"], []],
    any: [["acme/cat"], []],
    none: [[], []],
    "acme/owl": [["acme/cat"], ["acme/owl"]],
    "acme/cat": [["acme/cat"], ["acme/cat"]],
    "team/all": [[], []],
    "team/any": [["acme/cat"], []],
  };
  for (const [name, [alias, own]] of Object.entries(expected)) {
    assert.deepEqual([found(resolve, name), found(resolveModel, name)], [alias, own], name);
  }
});

Deno.test("a name without a model is answered with what was meant, or with what is off", async () => {
  const on = await catalogOf(both);
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["gpt-5.55", "Did you mean openai/gpt-5.5?"],
    ["openai/gtp-5.5", "Did you mean openai/gpt-5.5?"],
    ["claud-opus-4-8", "Did you mean anthropic/claude-opus-4.8?"],
    ["gpt5", "Did you mean openai/gpt-5?"],
    ["opus-4.8", "Did you mean anthropic/claude-opus-4.8?"],
    ["Claude Opus 4.8", "Did you mean anthropic/claude-opus-4.8?"],
    ["tollgate/anthropic/claude-opus-4-8", "Did you mean anthropic/claude-opus-4.8?"],
    // A short name is near to many others, and none of them was meant.
    ["grok-4", undefined],
    ["glm-4.6", undefined],
    ["4", undefined],
    ["anthropic/gpt-5.5-mini-nano-x", undefined],
    ["nothing like any of them", undefined],
    ["x".repeat(10_000), undefined],
  ];
  for (const [name, hint] of cases) assert.equal(on.hintFor(name), hint, name);
  const off = await catalogOf({ ANTHROPIC_API_KEY: "sk-2" });
  for (const name of ["gpt-5.5", "openai/gpt-5.5", "openai/whatever", "gpt-5.5-2026-01-01"]) {
    assert.equal(off.hintFor(name), "OpenAI is off: set OPENAI_API_KEY.", name);
  }
});

Deno.test("a part of names is answered with the models that have it, dated ones last", async () => {
  const { hintFor } = await catalogOf(both);
  for (
    const [part, id] of [["opus", "claude-opus-4.8"], ["claude-opus", "claude-opus-4.8"], [
      "haiku",
      "claude-haiku-4.5",
    ]]
  ) {
    const hint = hintFor(part ?? "") ?? "";
    assert.match(hint, /^Did you mean one of anthropic\/claude-[^?]*\?$/);
    const ids = hint.replace("Did you mean one of ", "").replace("?", "").split(", ");
    assert(ids.length <= 5 && ids.includes(`anthropic/${id}`), hint);
    const dated = ids.map((one) => /\d{8}/.test(one));
    assert.deepEqual(dated, dated.toSorted(), hint);
  }
});

Deno.test("a part of the names of a service that is off says what switches it on", async () => {
  const { hintFor } = await catalogOf({});
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["claude-opus", "Anthropic is off: set ANTHROPIC_API_KEY."],
    ["gpt", "OpenAI is off: set OPENAI_API_KEY."],
    ["gemini-3-pro", "Google AI Studio is off: set GEMINI_API_KEY."],
    ["mistral-large", "Mistral is off: set MISTRAL_API_KEY."],
    ["deepseek-chat", "DeepSeek is off: set DEEPSEEK_API_KEY."],
    ["fast", undefined],
    ["constructor", undefined],
    ["", undefined],
    ["-".repeat(10_000), undefined],
  ];
  for (const [name, hint] of cases) assert.equal(hintFor(name), hint, name);
});
