/** A LiteLLM file of 40 models: it is imported, a gateway starts with it and answers, and a key of it still works. */

import assert from "node:assert/strict";
import { runImport } from "../../server/app/litellm/run_import.ts";
import { readConfig } from "../../server/config/config.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { runFirstStart } from "../../server/management/keys/first_start.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { wrappedStore } from "../support/wrapped_store.ts";
import { says, scripted } from "../support/scripted.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const [OPEN, NARROW] = ["sk-a-key-of-litellm", "sk-another-key-of-litellm"];

/** 20 rows of a server, 10 of the same with another key, 10 of built-in services. */
function litellmFile(base: string): string {
  const own = Array.from({ length: 20 }, (_, at) => ({ name: `house-${at}`, key: "HOUSE_KEY" }));
  const second = own.slice(0, 10).map(({ name }) => ({ name, key: "HOUSE_KEY_2" }));
  const rows = [...own, ...second].map(({ name, key }) =>
    `  - model_name: ${name}
    litellm_params:
      model: openai/up/${name}
      api_base: ${base}/
      api_key: os.environ/${key}
      rpm: 60
    model_info: {input_cost_per_token: 2e-7, output_cost_per_token: "0.0000006", max_input_tokens: 8192}`
  );
  const builtIn = ["gpt-4o", "gpt-5", "gpt-5-mini", "gpt-4.1", "gpt-4.1-mini"].map((name) =>
    `  - {model_name: my-${name}, litellm_params: {model: openai/${name}, api_key: os.environ/OPENAI_API_KEY}}`
  );
  const left = ["azure/gpt-4o", "bedrock/claude", "openai/*", "nobody/model", "openai/no-such-model"].map((
    name,
  ) =>
    `  - {model_name: "left ${name}", litellm_params: {model: "${name}", api_key: sk-in-clear-0123456789}}`
  );
  return `model_list:
${[...rows, ...builtIn, ...left].join("\n")}
router_settings:
  model_group_alias: {fast: house-3}
  fallbacks: [{"house-1": ["house-2"]}]
  num_retries: 2
litellm_settings: {drop_params: true, request_timeout: 90, callbacks: ["langfuse"]}
general_settings: {master_key: sk-1234567890, database_url: os.environ/DATABASE_URL}
`;
}

const keys = JSON.stringify({
  keys: [
    {
      token: hashKey(OPEN),
      key_alias: "ada",
      key_name: "sk-...tellm",
      max_budget: 5,
      spend: 1,
      budget_duration: "30d",
    },
    { token: hashKey(NARROW), key_alias: "bob", models: ["house-1"], max_budget: 5, spend: 2 },
    { token: "not-a-hash" },
  ],
});

async function imported(text: string, keyText?: string) {
  const store = memoryStore();
  const runtime = createRuntime(silent);
  await runFirstStart({
    store,
    runtime,
    configuredKeys: { api: "a".repeat(40), management: "m".repeat(40) },
    mayPrint: true,
  });
  const written = new Map<string, string>();
  const config = readConfig({ env: () => undefined, readFile: () => "", terminal: false }, providerSettings);
  const { text: report, fields } = await runImport({
    args: ["config.yaml", "--out", "out.jsonc", ...keyText === undefined ? [] : ["--keys", "keys.json"]],
    source: { readFile: (path) => path === "config.yaml" ? text : keyText ?? "" },
    config,
    runtime,
    openStore: () =>
      Promise.resolve({ ...wrappedStore(store, (call) => call()), close: () => Promise.resolve() }),
    write: (path, content) => written.set(path, content),
  });
  return { store, report, fields, file: asObject(JSON.parse(written.get("out.jsonc") ?? "")) };
}

const ask = (
  gateway: { readonly url: string },
  { model, key }: { readonly model: string; readonly key: string },
) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });

Deno.test("a LiteLLM file of 40 models is imported, starts, answers, and a key of it still works", async () => {
  await using provider = scripted(says("chat", "Hello"));
  const { store, file, fields, report } = await imported(litellmFile(provider.baseUrl), keys);
  assert.equal(fields.done?.filter((line) => line.startsWith("model_list")).length, 35, report);
  assert.equal(
    fields.not_possible?.filter((line) => !line.endsWith("rpm has no counterpart")).length,
    8,
    report,
  );
  assert.ok(!report.includes("sk-in-clear") && !JSON.stringify(file).includes("sk-"), "no secret is copied");
  const first = asObject(asList(file.providers)[0]);
  assert.equal(asList(file.providers).length, 2, "the server with each of its keys");
  assert.equal(first.base_url, provider.baseUrl);
  assert.deepEqual(file.limits, { attempts: 3, answer_seconds: 90 });
  const env = {
    HOUSE_KEY: "house-key-0123456789",
    HOUSE_KEY_2: "house-key-9876543210",
    OPENAI_API_KEY: "sk-openai-0123456789",
    TOLLGATE_MANAGEMENT_KEY: "m".repeat(40),
    TOLLGATE_API_KEY: "a".repeat(40),
  };
  const { providers, limits, ...rest } = file;
  await using gateway = await startGateway({
    store,
    env,
    providers: asList(providers).map(asObject),
    limits: toLimits(limits),
    file: rest,
  });
  for (const model of ["house-7", "fast", "litellm/house-19"]) {
    const response = await ask(gateway, { model, key: OPEN });
    assert.equal(response.status, 200, `${model}: ${await response.text()}`);
  }
  assert.deepEqual(provider.requested.map(({ body }) => body.model), [
    "up/house-7",
    "up/house-3",
    "up/house-19",
  ]);
  const refused = await ask(gateway, { model: "fast", key: NARROW });
  assert.equal(refused.status, 401, `disabled until it has a guardrail: ${await refused.text()}`);
  const { body } = await managed(gateway, { call: "GET /keys" });
  const ada = asList(body.data).map(asObject).find(({ name }) => name === "ada");
  assert.deepEqual(
    [ada?.limit, ada?.limit_reset, ada?.label, ada?.creator_user_id],
    [5, "monthly", "sk-...tellm", "litellm"],
  );
  const models = await managed(gateway, { call: "GET /models?limit=500", token: OPEN });
  const priced = asList(models.body.data).map(asObject).find(({ id }) => id === "litellm/house-0");
  assert.equal(asObject(priced?.pricing).prompt, "0.0000002");
});

const toLimits = (limits: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(asObject(limits)).map(([name, value]) => [name, Number(value)]));

/** Files that cannot be read, with the end of the sentence. */
const bad: readonly (readonly [text: string, sentence: RegExp])[] = [
  ["model_list: [", /config\.yaml: .*line 1/],
  ["model_list: 7", /config\.yaml: model_list: /],
  ["model_list: [{model_name: a}]", /config\.yaml: model_list\.0\.litellm_params: /],
  ["model_list: [{litellm_params: {model: a}}]", /config\.yaml: model_list\.0\.model_name: /],
  ["- a\n- b", /config\.yaml: the file: /],
  [bomb(), /config\.yaml: .*alias/],
];

/** Small text, large value. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`);
  return ["l0: &l0 [x]", ...levels].join("\n");
}

Deno.test("a LiteLLM file that is none is refused with its place, and nothing is written", async () => {
  for (const [text, sentence] of bad) {
    await assert.rejects(imported(text), ({ message }: Error) => {
      assert.match(message, sentence);
      return true;
    });
  }
  const empty = await imported("");
  assert.deepEqual(empty.file, {});
  await assert.rejects(imported("", "{}"), /The keys are no answer of/);
});

Deno.test("a key that is here already is left as it is", async () => {
  const again: Json = { keys: [{ token: hashKey("a".repeat(40)), key_alias: "first" }] };
  const { fields } = await imported("", JSON.stringify(again));
  assert.deepEqual(fields.not_possible, ["key first: a key with this text is here already"]);
});
