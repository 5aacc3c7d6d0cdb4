/**
 * A LiteLLM file of 40 models with its teams and keys: it is imported, a gateway starts with it, answers by a fallback,
 * its keys still work, and a team's budget stops its keys.
 */

import assert from "node:assert/strict";
import { hashKey, keyCollection } from "../../server/management/keys/key_rows.ts";
import { workspaceCollection } from "../../server/management/workspaces/workspace_rows.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { ask, FIRST_KEY, imported, startWith } from "./rig.ts";

const texts = {
  ada: "sk-a-key-of-litellm",
  bob: "sk-another-key-of-litellm",
  cleo: "sk-a-key-of-a-team",
  dan: "sk-a-second-key-of-a-team",
  eve: "sk-a-key-of-a-blocked-team",
  finn: "sk-a-key-of-a-team-that-is-not-told",
} as const;

/** Texts that must stand nowhere. */
const secrets = [
  "sk-in-clear-0123456789",
  "a-pass-word",
  "header-secret",
  "env-secret",
  "sk-1234567890",
  "postgres://",
];

/** 20 rows of a server, 8 of the same with another key, 2 in an order, 5 of built-in services, 5 of other kinds. */
function litellmFile(base: string) {
  const own = Array.from({ length: 20 }, (_, at) => ({ name: `house-${at}`, key: "HOUSE_KEY" }));
  const rows = [...own, ...own.slice(0, 8).map(({ name }) => ({ name, key: "HOUSE_KEY_2" }))];
  const row = (model_name: string, litellm_params: object) => ({ model_name, litellm_params });
  const model_info = {
    input_cost_per_token: 2e-7,
    output_cost_per_token: "0.0000006",
    max_input_tokens: 8192,
  };
  const house = (name: string, params: object) => ({
    ...row(name, { model: `openai/up/${name}`, api_base: `${base}/`, ...params }),
    model_info: name === "house-8" ? { ...model_info, access_groups: ["eights"] } : model_info,
  });
  return {
    model_list: [
      ...rows.map(({ name, key }) => house(name, { api_key: `os.environ/${key}`, rpm: 60 })),
      house("ordered", { model: "openai/up/late", api_key: "os.environ/HOUSE_KEY", order: 2 }),
      house("ordered", { model: "openai/up/early", api_key: "os.environ/HOUSE_KEY", order: 1 }),
      ...["gpt-4o", "gpt-5", "gpt-5-mini", "gpt-4.1", "gpt-4.1-mini"].map((name) =>
        row(`my-${name}`, { model: `openai/${name}`, api_key: "os.environ/OPENAI_API_KEY" })
      ),
      row("cloudy", { model: "azure/gpt-4o", api_base: "https://one.example", api_key: secrets[0] }),
      row("openai/*", { model: "openai/*", api_key: "os.environ/OPENAI_API_KEY" }),
      row("nobodys", { model: "nobody/model", api_key: secrets[0] }),
      row("unknown", { model: "openai/no-such-model", api_key: secrets[0] }),
      row("open", {
        model: "openai/x",
        api_base: `https://user:${secrets[1]}@house.example/v1`,
        extra_headers: { "x-a": secrets[2] },
      }),
    ],
    router_settings: {
      model_group_alias: { fast: "house-3" },
      fallbacks: [{ "house-1": ["house-2", "my-gpt-4o"] }],
      num_retries: 2,
    },
    litellm_settings: {
      drop_params: true,
      request_timeout: 90,
      callbacks: ["langfuse"],
      context_window_fallbacks: [{ "house-4": ["house-5"] }],
      default_fallbacks: ["house-19"],
    },
    general_settings: { master_key: secrets[4], database_url: "postgres://u:p@h/d" },
    environment_variables: { A: secrets[3] },
  };
}

const teams = [
  {
    team_id: "0f0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
    team_alias: "Research & Co",
    max_budget: 0.001,
    spend: 4,
    budget_duration: "30d",
    models: ["house-3", "house-9"],
    rpm_limit: 500,
    max_parallel_requests: 3,
    members_with_roles: [{ user_id: "u", role: "admin" }],
  },
  { team_id: "gone", team_alias: "Gone", blocked: true },
];

const [research] = teams;
const key = (alias: keyof typeof texts, more: object = {}) => ({
  token: hashKey(texts[alias]),
  key_alias: alias,
  key_name: "sk-...tellm",
  ...more,
});

const keys = {
  keys: [
    key("ada", { max_budget: 5, spend: 1, budget_duration: "30d" }),
    key("bob", { models: ["house-1", "eights"], max_budget: 5, spend: 2, rpm_limit: 50 }),
    key("cleo", { team_id: research?.team_id, models: ["all-team-models"] }),
    key("dan", { team_id: research?.team_id, models: ["house-3", "house-4"] }),
    key("eve", { team_id: "gone" }),
    key("finn", { team_id: "not told" }),
    { token: "not-a-hash" },
  ],
};

const env = {
  HOUSE_KEY: "house-key-0123456789",
  HOUSE_KEY_2: "house-key-9876543210",
  OPENAI_API_KEY: "sk-openai-0123456789",
};

/** Answers for every model but one. */
const house = () =>
  scripted((requested, number) =>
    requested.body.model === "up/house-1"
      ? Response.json({ error: { message: "down" } }, { status: 503 })
      : says("chat", "Hello ".repeat(50))(requested, number)
  );

async function statusOf(gateway: Gateway, asking: Parameters<typeof ask>[1]): Promise<number> {
  const response = await ask(gateway, asking);
  await response.body?.cancel();
  return response.status;
}

Deno.test("a LiteLLM file of 40 models is told in three groups, and no secret is copied", async () => {
  const { file, report, done, changed, impossible } = await imported(litellmFile("http://127.0.0.1:1/v1"), {
    keys,
    teams,
  });
  for (const secret of secrets) assert.ok(!(report + JSON.stringify(file)).includes(secret), secret);
  assert.equal(done.filter((line) => line.startsWith("model_list")).length, 36, report);
  assert.ok(done.includes("router_settings.fallbacks: house-1, then house-2, my-gpt-4o"), report);
  assert.ok(done.includes("team Research & Co: the workspace research-co, 0.001 USD monthly"), report);
  const told = (lines: readonly string[], words: RegExp) => assert.match(lines.join("\n"), words);
  told(changed, /context_window_fallbacks: house-4, then house-5: tried after other failures too/);
  told(changed, /\(cloudy\): azure-chat\/gpt-4o, switched on by AZURE_OPENAI_ENDPOINT and/);
  told(changed, /\(unknown\): openai\/no-such-model, which the catalog does not know/);
  told(changed, /key eve: disabled: its team is blocked/);
  told(impossible, /\(house-0\) and 27 more: rpm: a provider's rate has no limit here/);
  told(impossible, /\(nobodys\): the provider nobody is not built in/);
  told(impossible, /\(open\): api_base is no address without user/);
  told(impossible, /key finn: its team not told is not among --teams/);
  told(impossible, /keys\[6\]: it has no SHA-256/);
  assert.equal(asList(file.providers).length, 2, "the server with each of its keys");
  assert.deepEqual(file.limits, { attempts: 5, answer_seconds: 90 });
  const aliases = asObject(file.aliases);
  assert.deepEqual(aliases["house-1"], ["litellm/house-1", "litellm/house-2", "openai/gpt-4o"]);
  assert.deepEqual(aliases["house-4"], ["litellm/house-4", "litellm/house-5"]);
  assert.deepEqual(aliases.ordered, ["litellm/ordered.2", "litellm/ordered", "litellm/house-19"]);
  assert.equal(aliases["house-19"], "litellm/house-19");
  assert.deepEqual(aliases.fast, ["litellm/house-3", "litellm/house-19"]);
});

Deno.test("a gateway starts with it, answers by a fallback, and its keys still work within their models", async () => {
  await using provider = house();
  const made = await imported(litellmFile(provider.baseUrl), { keys, teams });
  await using gateway = await startWith(made, env);
  for (const model of ["house-7", "fast", "litellm/house-19", "ordered"]) {
    const response = await ask(gateway, { model, key: texts.ada });
    assert.equal(response.status, 200, `${model}: ${await response.text()}`);
  }
  const named = () => provider.requested.map(({ body }) => body.model);
  assert.deepEqual(named(), ["up/house-7", "up/house-3", "up/house-19", "up/early"]);
  const fallback = await ask(gateway, { model: "house-1", key: texts.ada });
  assert.equal(fallback.status, 200);
  assert.equal(asObject(await fallback.json()).model, "litellm/house-2");
  assert.deepEqual(named().slice(4), ["up/house-1", "up/house-1", "up/house-2"]);
  assert.equal(await statusOf(gateway, { model: "house-8", key: texts.bob }), 200, "of a group of its list");
  assert.equal(await statusOf(gateway, { model: "fast", key: texts.bob }), 404, "not of its list");
  assert.equal(
    await statusOf(gateway, { model: "house-1", key: texts.bob }),
    503,
    "its fallback is not, either",
  );
  assert.equal(await statusOf(gateway, { model: "fast", key: texts.eve }), 401, "its team is blocked");
  assert.equal(await statusOf(gateway, { model: "fast", key: texts.finn }), 401, "it was not imported");
  const { body } = await managed(gateway, { call: "GET /keys" });
  const [ada, bob] = ["ada", "bob"].map((name) =>
    asList(body.data).map(asObject).find((one) => one.name === name)
  );
  assert.deepEqual([ada?.limit, ada?.limit_reset, ada?.label], [5, "monthly", "sk-...tellm"]);
  assert.deepEqual([bob?.limit, bob?.limit_reset, bob?.creator_user_id], [3, null, "litellm"]);
  const models = await managed(gateway, { call: "GET /models?limit=500", token: texts.ada });
  const priced = asList(models.body.data).map(asObject).find(({ id }) => id === "litellm/house-0");
  assert.equal(asObject(priced?.pricing).prompt, "0.0000002");
});

Deno.test("a team's budget stops the keys of the team, its models are theirs, and other keys go on", async () => {
  await using provider = house();
  const made = await imported(litellmFile(provider.baseUrl), { keys, teams });
  await using gateway = await startWith(made, env);
  const { body: budgets } = await managed(gateway, { call: "GET /workspaces/research-co/budgets" });
  const [budget] = asList(budgets.data).map(asObject);
  assert.deepEqual([budget?.limit_usd, budget?.reset_interval], [0.001, "monthly"]);
  const { body: rates } = await managed(gateway, { call: "GET /workspaces/research-co/rate-limits" });
  assert.deepEqual(rates.data, {
    requests_per_minute: 500,
    tokens_per_minute: null,
    concurrent_streams: 3,
  });
  assert.equal(await statusOf(gateway, { model: "house-4", key: texts.cleo }), 404, "not of the team's");
  assert.equal(await statusOf(gateway, { model: "house-9", key: texts.dan }), 404, "not of its own");
  assert.equal(
    await statusOf(gateway, { model: "house-4", key: texts.dan }),
    404,
    "of its own, not of the team's",
  );
  const both = ["cleo", "dan"] as const;
  const statuses: number[] = [];
  while (statuses.at(-1) !== 402 && statuses.length < 60) {
    const name = both[statuses.length % 2] ?? "cleo";
    statuses.push(await statusOf(gateway, { model: "fast", key: texts[name] }));
  }
  assert.deepEqual([statuses[0], statuses[1], statuses.at(-1)], [200, 200, 402], String(statuses));
  for (const name of both) {
    assert.equal(await statusOf(gateway, { model: "fast", key: texts[name] }), 402, name);
  }
  assert.equal(await statusOf(gateway, { model: "fast", key: texts.ada }), 200);
});

/** Files that cannot be read, with the end of the sentence. */
const bad: readonly (readonly [text: string, sentence: RegExp])[] = [
  ["model_list: [", /config\.yaml: .*line 1/],
  ["model_list: 7", /config\.yaml: model_list: /],
  ["model_list: [{model_name: a}]", /config\.yaml: model_list\.0\.litellm_params: /],
  ["model_list: [{litellm_params: {model: a}}]", /config\.yaml: model_list\.0\.model_name: /],
  ["litellm_settings: {fallbacks: 5}", /config\.yaml: litellm_settings\.fallbacks: /],
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
  assert.deepEqual((await imported("")).file, {});
  await assert.rejects(imported("", { keys: {} }), /The keys are no answer of/);
  await assert.rejects(imported("", { teams: 7 }), /The teams are no answer of/);
});

Deno.test("a key and a team that are here already are left as they are", async () => {
  const again = { keys: [{ token: hashKey(FIRST_KEY), key_alias: "first" }] };
  const { impossible } = await imported("", { keys: again });
  assert.deepEqual(impossible, ["key first: a key with this text is here already"]);
  const { store } = await imported("", { teams: { teams } });
  const late = { keys: [key("cleo", { team_id: research?.team_id })] };
  const second = await imported(litellmFile("http://127.0.0.1:1/v1"), { teams, keys: [late], store });
  assert.ok(
    second.impossible.includes(
      "team Research & Co: the workspace research-co is here already, and was left as it is",
    ),
    second.report,
  );
  assert.ok(second.done.includes("key cleo: imported, and its text goes on working"), second.report);
});

/** Keys and teams with a wrong field, and the sentence of the report for each. */
const unreadable = {
  keys: [
    [key("ada", { max_budget: -1 }), /^keys\[0\]: max_budget: /],
    [key("ada", { models: "house-1" }), /^keys\[1\]: models: /],
    [key("ada", { blocked: "yes" }), /^keys\[2\]: blocked: /],
    [{ key_alias: "ada" }, /^keys\[3\]: it has no SHA-256 as its token$/],
    ["ada", /^keys\[4\]: it has no SHA-256 as its token$/],
  ],
  teams: [
    [{ team_id: "a", max_budget: "much" }, /^teams\[0\]: max_budget: /],
    [{ team_alias: "a" }, /^teams\[1\]: it has no team_id$/],
    [null, /^teams\[2\]: it has no team_id$/],
  ],
} as const;

Deno.test("a key or a team that cannot be read is told with the field that is wrong", async () => {
  for (const [name, cases] of Object.entries(unreadable)) {
    const { impossible } = await imported("", { [name]: { [name]: cases.map(([record]) => record) } });
    for (const [at, [, words]] of cases.entries()) assert.match(impossible[at] ?? "", words);
    assert.equal(impossible.length, cases.length);
  }
});

Deno.test("a key whose expiry cannot be read does not become one that never expires", async () => {
  const expiries = { ada: "in a week", bob: "2031-02-03T04:05:06+00:00", cleo: null } as const;
  const list = Object.entries(expiries).map(([alias, expires]) => ({
    token: hashKey(texts[asAlias(alias)]),
    key_alias: alias,
    expires,
  }));
  const { store, changed } = await imported("", { keys: { keys: list } });
  assert.deepEqual(changed, ["key ada: disabled: its expires is no moment"]);
  const rows = await Promise.all(list.map(({ token }) => keyCollection(store).get(token)));
  const told = rows.map((row) => [row?.record.disabled, row?.record.expires_at]);
  assert.deepEqual(told, [[true, null], [false, "2031-02-03T04:05:06.000Z"], [false, null]]);
});

function asAlias(name: string): keyof typeof texts {
  return name as keyof typeof texts;
}

Deno.test("names are cut between characters", async () => {
  const long = `${"a".repeat(99)}\u{1f600}`;
  const { store } = await imported("", { teams: [{ team_id: "t", team_alias: long }] });
  const rows = await workspaceCollection(store).list();
  const names = rows.flatMap(({ record }) => record.created_by === "litellm" ? [record.name] : []);
  assert.deepEqual(names, ["a".repeat(99)]);
});

Deno.test("no file is left where the store cannot take keys: the command can be run again", async () => {
  const written = new Map<string, string>();
  const given = { keys: { keys: [] }, store: memoryStore(), written };
  await assert.rejects(imported("", given), /The store is new/);
  assert.deepEqual([...written.keys()], []);
});
