import assert from "node:assert/strict";
import { type ConfigSource, readConfig } from "../../config/config.ts";
import { createProviders, providerSettings } from "../mod.ts";
import { plainSpelling } from "../model_spelling.ts";
import { buildCatalog, type Catalog } from "./catalog.ts";
import { loadSnapshot } from "./snapshot.ts";

async function catalogOf(env: Readonly<Record<string, string>>, file: object = {}): Promise<Catalog> {
  const all: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  const source: ConfigSource = {
    env: (name) => all[name],
    readFile: () => JSON.stringify(file),
    terminal: false,
  };
  const config = readConfig(source, providerSettings);
  const providers = createProviders(config);
  return buildCatalog({ config, providers, snapshot: await loadSnapshot(providers.providers) });
}

const account = JSON.stringify({
  client_email: "a@b.c",
  private_key: "-----BEGIN PRIVATE KEY-----",
  project_id: "p",
});

/** A service of each kind: with tables of this version, with the snapshot's alone, resold, and in clouds. */
const everything = {
  OPENAI_API_KEY: "key-1",
  ANTHROPIC_API_KEY: "key-2",
  GROQ_API_KEY: "key-3",
  OPENROUTER_API_KEY: "key-4",
  BEDROCK_REGION: "us-east-1",
  AWS_BEARER_TOKEN_BEDROCK: "key-5",
  VERTEX_SERVICE_ACCOUNT: account,
  AZURE_OPENAI_ENDPOINT: "https://name.openai.azure.com",
  AZURE_OPENAI_API_KEY: "key-6",
};

Deno.test("no two models of a catalog differ in their spelling alone, and no endpoint is there twice", async () => {
  for (const env of [everything, { BEDROCK_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "key" }]) {
    const { endpoints, models } = await catalogOf(env);
    const ids = new Set(endpoints.map(({ model }) => model.id));
    assert.equal(new Set([...ids].map(plainSpelling)).size, ids.size);
    assert.equal(new Set(endpoints.map(({ id }) => id)).size, endpoints.length);
    // The id does not depend on what else is switched on.
    assert.ok(models.some(({ model }) => model.id === "anthropic/claude-opus-4.8"));
  }
});

/** A name, the id of its model, and the names by which the providers that may serve it are asked, the first of them. */
const meant: readonly (readonly [name: string, id: string, endpoint: string])[] = [
  ["anthropic/claude-opus-4.8", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8"],
  ["anthropic/claude-opus-4-8", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8"],
  ["Anthropic/Claude-Opus-4.8", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8"],
  ["anthropic/claude-opus-4-8[1m]", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8"],
  ["claude-opus-4-8", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8"],
  ["~anthropic/claude-opus-latest", "anthropic/claude-opus-5.5", "anthropic|claude-opus-5-5"],
  // Dates that nobody has published.
  ["openai/gpt-5.5-2026-04-23", "openai/gpt-5.5", "openai|gpt-5.5-2026-04-23"],
  ["openai/gpt-5.5-2026-04-23[1m]", "openai/gpt-5.5", "openai|gpt-5.5-2026-04-23"],
  ["anthropic/claude-opus-4.8-20260115", "anthropic/claude-opus-4.8", "anthropic|claude-opus-4-8-20260115"],
  ["openrouter/openai/gpt-5.5-2026-04-23", "openai/gpt-5.5", "openrouter|openai/gpt-5.5-2026-04-23"],
  [
    "bedrock/anthropic.claude-opus-4-8-20260115-v1:0",
    "anthropic/claude-opus-4.8",
    "bedrock|anthropic.claude-opus-4-8-20260115-v1:0",
  ],
  // Providers' own names.
  ["groq/openai/gpt-oss-120b", "openai/gpt-oss-120b", "groq|openai/gpt-oss-120b"],
  [
    "google-vertex-anthropic/claude-opus-4-5@20251101",
    "anthropic/claude-opus-4.5",
    "google-vertex-anthropic|claude-opus-4-5@20251101",
  ],
  [
    "google-vertex-anthropic/claude-opus-4-5",
    "anthropic/claude-opus-4.5",
    "google-vertex-anthropic|claude-opus-4-5",
  ],
  [
    "google-vertex-anthropic/claude-opus-4-5@default",
    "anthropic/claude-opus-4.5",
    "google-vertex-anthropic|claude-opus-4-5@default",
  ],
  // Deployments that their operator names.
  ["azure/gpt-5.5-2026-04-23", "azure/gpt-5.5-2026-04-23", "azure|gpt-5.5-2026-04-23"],
];

Deno.test("a model has one id and its price under each of its names", async () => {
  const { resolve } = await catalogOf(everything);
  for (const [name, id, endpoint] of meant) {
    const [first] = resolve(name);
    assert.equal(first?.model.id, id, name);
    assert.equal(`${first?.provider.id}|${first?.upstreamModel}`, endpoint, name);
    assert.ok(Number(first?.pricing?.prompt) > 0, `${name} has a price`);
    assert.ok(first && resolve(name).every(({ model }) => model.id === id), name);
  }
});

Deno.test("a provider's own name asks that provider alone, and a name that nobody knows is a model without a price", async () => {
  const { resolve } = await catalogOf(everything);
  for (const name of ["groq/openai/gpt-oss-120b", "openai/gpt-5.5-2026-04-23"]) {
    assert.equal(resolve(name).length, 1, name);
  }
  for (const name of ["openai/gpt-99", "openai/gpt-99-2026-04-23", "anthropic/claude-opus-4.8-thinking"]) {
    const [only, ...others] = resolve(name);
    assert.deepEqual([only?.model.id, only?.pricing, others], [name, null, []]);
  }
  assert.deepEqual(resolve(`openai/${"x".repeat(10_000)}`), []);
});

Deno.test("the operator's spelling of an id stands, and corrections mean each spelling", async () => {
  const catalog = await catalogOf({ ANTHROPIC_API_KEY: "key" }, {
    providers: [{
      id: "shop",
      wire: "messages",
      base_url: "https://shop.example/v1",
      models: [{ id: "anthropic/claude-opus-4-8", upstream_id: "opus" }],
    }],
    models: [{ id: "anthropic/claude-haiku-4-5", description: "small" }],
  });
  const found = catalog.model("anthropic/claude-opus-4.8");
  assert.equal(found?.model.id, "anthropic/claude-opus-4-8");
  assert.deepEqual(found?.endpoints.map(({ provider }) => provider.id), ["shop", "anthropic"]);
  assert.equal(catalog.model("anthropic/claude-haiku-4.5")?.model.description, "small");
});
