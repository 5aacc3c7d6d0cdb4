/** Lists and defaults whose entries mean nothing that is here are saved, with a warning that says which and why. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

interface ListCase {
  readonly field: string;
  readonly value: unknown;
  /** Paths and the ends of messages. */
  readonly warned: readonly (readonly [path: string, message: RegExp])[];
}

const near = /^"mock\/modle" matches no model that is here now\. Did you mean mock\/model\?$/;
const bare = /^"model" matches no model that is here now\. Did you mean mock\/model\?$/;
const off = /^"openai\/gpt-5\.5" matches no model that is here now\. OpenAI is off: set OPENAI_API_KEY\.$/;

const aliased = (name: string, members: string) =>
  new RegExp(
    `^"${name}" matches no model that is here now\\. "${name}" is an alias: name what it stands for, ${members}\\.$`,
  );

const models = (field: string): readonly ListCase[] => [
  { field, value: ["mock/model", "mock/*", "MOCK/Model", "local/echo"], warned: [] },
  { field, value: ["mock/model", "mock/modle"], warned: [[`${field}[1]`, near]] },
  { field, value: ["model", "openai/gpt-5.5"], warned: [[`${field}[0]`, bare], [`${field}[1]`, off]] },
  {
    field,
    value: ["fast", "steady"],
    warned: [[`${field}[0]`, aliased("fast", "mock/model")], [
      `${field}[1]`,
      aliased("steady", "mock/model, mock/other"),
    ]],
  },
  { field, value: ["moc/*"], warned: [[`${field}[0]`, /^"moc\/\*" matches no model that is here now\.$/]] },
  { field, value: null, warned: [] },
];
const providers = (field: string): readonly ListCase[] => [
  { field, value: ["mock", "openai", "Groq", "o*"], warned: [] },
  { field, value: ["mokc"], warned: [[`${field}[0]`, /^"mokc" matches no provider\.$/]] },
];
const defaults = (field: string): readonly ListCase[] => [
  { field, value: "mock/model", warned: [] },
  { field, value: "model:nitro", warned: [] },
  { field, value: "fast", warned: [] },
  { field, value: "steady:floor", warned: [] },
  { field, value: "routed", warned: [] },
  {
    field,
    value: "gone",
    warned: [[field, /^"gone" stands for mock\/none, mock\/nobody: no such model is/]],
  },
  {
    field,
    value: "mock/modle",
    warned: [[field, /^"mock\/modle" is no model that is here now\. Did you mean/]],
  },
  { field, value: null, warned: [] },
];

const records: readonly {
  readonly path: string;
  readonly create: Json;
  readonly cases: readonly ListCase[];
}[] = [
  {
    path: "/guardrails",
    create: { name: "G" },
    cases: [
      ...models("allowed_models"),
      ...models("ignored_models"),
      ...providers("allowed_providers"),
      ...providers("ignored_providers"),
    ],
  },
  { path: "/byok", create: { provider: "mock", key: "sk-test-0123456789" }, cases: models("allowed_models") },
  {
    path: "/workspaces",
    create: { name: "W" },
    cases: [...defaults("default_text_model"), ...defaults("default_image_model")],
  },
];

const warningsOf = (body: Json) =>
  asList(body.warnings ?? []).map(asObject).map(({ path, message }) =>
    [String(path), String(message)] as const
  );

for (const { path, create, cases } of records) {
  Deno.test(`POST and PATCH ${path} warn of entries that mean nothing, and keep them`, async () => {
    await using gateway = await startGateway({
      env: { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64(), TOLLGATE_LOCAL: "on" },
      providers: [providerAt("http://127.0.0.1:9")],
      file: {
        aliases: {
          fast: "mock/model",
          steady: ["mock/model", "mock/other"],
          gone: ["mock/none", "mock/nobody"],
          routed: ["mock/none", "openrouter/auto"],
        },
      },
    });
    for (const [position, { field, value, warned }] of cases.entries()) {
      const unique = path === "/workspaces" ? { slug: `w${position}` } : {};
      const body = { ...create, ...unique, [field]: value };
      const made = await managed(gateway, { call: `POST ${path}`, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id } = asObject(made.body.data);
      assert.deepEqual(asObject(made.body.data)[field], value);
      const changed = await managed(gateway, { call: `PATCH ${path}/${id}`, body: { [field]: value } });
      assert.equal(changed.status, 200);
      for (const one of [made, changed]) {
        const found = warningsOf(one.body);
        assert.deepEqual(
          found.map(([place]) => place),
          warned.map(([place]) => place),
          JSON.stringify(value),
        );
        for (const [at, [, message]] of warned.entries()) assert.match(found[at]?.[1] ?? "", message);
      }
    }
  });
}

/** Entries of `default_plugins`, and the warnings: where, and which. */
const pluginCases: readonly (readonly [Json, ...(readonly [field: string, message: RegExp])[]])[] = [
  [{ id: "moderation" }, ["", /^"moderation" has no service, so requests are not judged: set moderation/]],
  [{ id: "moderation", locked: true }, ["", /requests are refused: set moderation/]],
  [
    { id: "moderation", enabled: false },
    [".enabled", /^"moderation" has no switch, and judges all requests whatever enabled says/],
    ["", /has no service/],
  ],
  [{ id: "web" }],
  [{ id: "web", engine: "exa", locked: true }],
  [{ id: "web", engine: "native" }],
  [{ id: "web", engine: "parallel" }, [".engine", /^"web" has an engine that is "parallel", which is not/]],
  [{ id: "web", engine: "parallel", enabled: false }],
  [{ id: "web", max_result: 3 }, [".max_result", /^"web" has no setting "max_result"\.$/]],
  [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }, [".pdf.engine", /no key of Mistral: set MISTRAL/]],
  [{ id: "file-parser", pdf: { engine: "pdf-text" } }],
  [{ id: "response-healing" }],
  [{ id: "context-compression", locked: true }],
  [{ id: "fusion" }],
  [{ id: "switchyard-router" }, ["", /^"switchyard-router" is not run by this gateway\.$/]],
];

Deno.test("POST and PATCH /workspaces warn of plugins that would not act as they say, and keep them", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on", EXA_API_KEY: "sk-exa" } });
  for (const [position, [plugin, ...warned]] of pluginCases.entries()) {
    const default_plugins = [plugin];
    const body = { name: "W", slug: `w${position}`, default_plugins };
    const made = await managed(gateway, { call: "POST /workspaces", body });
    const changed = await managed(gateway, {
      call: `PATCH /workspaces/w${position}`,
      body: { default_plugins },
    });
    for (const one of [made, changed]) {
      assert.deepEqual(asObject(one.body.data).default_plugins, default_plugins);
      const found = warningsOf(one.body);
      assert.deepEqual(found.map(([path]) => path), warned.map(([field]) => `default_plugins[0]${field}`));
      for (const [at, [, message]] of warned.entries()) assert.match(found[at]?.[1] ?? "", message);
    }
  }
});

Deno.test("a web without an engine is warned of, and services that are there are not", async () => {
  await using bare = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const save = async (gateway: typeof bare, plugins: readonly Json[]) => {
    const body = { default_plugins: plugins };
    const { body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
    return warningsOf(reply);
  };
  const [[path, message] = [], ...more] = await save(bare, [{ id: "web" }]);
  assert.deepEqual([path, more], ["default_plugins[0]", []]);
  assert.match(message ?? "", /has no search engine here/);
  await using full = await startGateway({
    env: { TOLLGATE_LOCAL: "on", MISTRAL_API_KEY: "sk-mistral" },
    file: { moderation: { wire: "openai", model: "local/moderator" } },
  });
  const pdf = { engine: "mistral-ocr" };
  assert.deepEqual(await save(full, [{ id: "moderation", locked: true }, { id: "file-parser", pdf }]), []);
});
