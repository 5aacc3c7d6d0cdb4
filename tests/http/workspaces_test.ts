/** Workspaces over HTTP: who may, what is refused, and a deletion in the middle of things. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { fileRows, upload } from "../support/files.ts";
import { orphansIn } from "../support/leftover_records.ts";
import { says, type Script, scripted } from "../support/scripted.ts";
import { mutatedFrom } from "../fuzz/mutate.ts";
import { runs } from "../support/property.ts";
import { until } from "../support/until.ts";

const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(5).toBase64() };

async function makeLab(gateway: Gateway): Promise<string> {
  const { status, body } = await managed(gateway, {
    call: "POST /workspaces",
    body: { name: "Lab", slug: "lab" },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return String(asObject(body.data).id);
}

function send({ url }: Gateway, key: string): Promise<Response> {
  return fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi" }),
  });
}

interface Wrong {
  readonly call: string;
  readonly body?: unknown;
  /** Named in the message. */
  readonly words: RegExp;
  readonly status?: number;
}

const long = "x".repeat(101);
const wrongs: readonly Wrong[] = [
  { call: "POST /workspaces", body: {}, words: /name is missing/ },
  { call: "POST /workspaces", body: { name: "", slug: "a" }, words: /name is empty/ },
  { call: "POST /workspaces", body: { name: long, slug: "a" }, words: /name is 101 characters long/ },
  { call: "POST /workspaces", body: { name: "a", slug: "A" }, words: /slug/ },
  { call: "POST /workspaces", body: { name: "a", slug: "a--b" }, words: /slug/ },
  { call: "POST /workspaces", body: { name: "a", slug: "a".repeat(51) }, words: /slug is 51/ },
  { call: "POST /workspaces", body: { name: "a", slug: "default" }, words: /slug is default/ },
  { call: "POST /workspaces", body: { name: "a", slug: "a", owner: "x" }, words: /owner is not a known key/ },
  {
    call: "POST /workspaces",
    body: { name: "a", slug: "a", io_logging_sampling_rate: 0 },
    words: /io_logging_sampling_rate is 0/,
  },
  { call: "POST /workspaces", body: { name: "a", slug: "a", description: "x".repeat(501) }, words: /501/ },
  { call: "GET /workspaces?limit=0", words: /limit/ },
  { call: "GET /workspaces?limit=101", words: /limit/ },
  { call: "GET /workspaces?offset=-1", words: /offset/ },
  { call: "PATCH /workspaces/nowhere", body: {}, words: /no workspace "nowhere"/, status: 404 },
  { call: "GET /workspaces/No%20Where", words: /no workspace/, status: 404 },
  { call: "DELETE /workspaces/default?confirm_default_workspace_deletion=perhaps", words: /perhaps/ },
  { call: "DELETE /workspaces/default", words: /confirm_default_workspace_deletion/ },
  { call: "PUT /workspaces/default/budgets/hourly", body: { limit_usd: 1 }, words: /interval is "hourly"/ },
  { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: 0 }, words: /limit_usd is 0/ },
  { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: -1 }, words: /limit_usd is -1/ },
  { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: 1e10 }, words: /limit_usd/ },
  { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: 1e-10 }, words: /limit_usd/ },
  { call: "PUT /workspaces/default/budgets/daily", body: { limit_usd: "1" }, words: /limit_usd is "1"/ },
  { call: "GET /workspaces/default/budgets/daily", words: /no daily budget/, status: 404 },
  {
    call: "PUT /workspaces/default/rate-limits",
    body: { requests_per_minute: 0 },
    words: /requests_per_minute is 0/,
  },
  { call: "POST /workspaces/default/members/add", body: { user_ids: [] }, words: /user_ids is empty/ },
  { call: "GET /guardrails/x", words: /id is "x"/ },
  { call: `DELETE /guardrails/${crypto.randomUUID()}`, words: /no guardrail/, status: 404 },
  { call: "POST /guardrails", body: { name: "a", limit_usd: 1 }, words: /reset_interval is null/ },
  { call: "POST /guardrails", body: { name: "a", reset_interval: "daily" }, words: /limit_usd is null/ },
  { call: "POST /guardrails", body: { name: "a", allowed_models: [] }, words: /allowed_models is empty/ },
  {
    call: "POST /guardrails",
    body: { name: "a", content_filters: [{ pattern: "(?=a)", action: "block" }] },
    words: /content_filters\[0\]\.pattern has a group that looks around/,
  },
  { call: "GET /byok/x", words: /id is "x"/ },
  { call: "POST /byok", body: { provider: "openai" }, words: /key is missing/ },
];

Deno.test("operations on workspaces, budgets, guardrails and provider keys name what is wrong", async (t) => {
  await using gateway = await startGateway({ env });
  for (const { call, body, words, status = 400 } of wrongs) {
    await t.step(`${call} ${JSON.stringify(body ?? "").slice(0, 60)}`, async () => {
      const answered = await managed(gateway, { call, body });
      assert.equal(answered.status, status, JSON.stringify(answered.body));
      assert.match(String(asObject(answered.body.error).message), words);
    });
  }
});

Deno.test("workspaces are for management keys", async () => {
  await using gateway = await startGateway({ env });
  for (const call of ["GET /workspaces", "DELETE /workspaces/x", "GET /guardrails", "GET /byok"]) {
    assert.equal((await managed(gateway, { call, token: gateway.apiKey })).status, 403);
    assert.equal((await managed(gateway, { call, token: "nobody" })).status, 401);
  }
});

Deno.test("POST /workspaces with an Idempotency-Key makes one workspace", async () => {
  await using gateway = await startGateway({ env });
  const headers = { "idempotency-key": "once" };
  const body = { name: "Lab", slug: "lab" };
  const made = await Promise.all(
    Array.from({ length: 5 }, () => managed(gateway, { call: "POST /workspaces", body, headers })),
  );
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(made.map(({ body }) => JSON.stringify(body))).size, 1);
});

Deno.test("a workspace is deleted while its keys are in use: requests under way end, new ones are refused", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const answer: Script = async (requested, number) => {
    await held;
    return says("responses", "done")(requested, number);
  };
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ env, providers: [providerAt(upstream.baseUrl)] });
  const id = await makeLab(gateway);
  const { key, record: { hash } } = await createKey(gateway, { workspace_id: id });
  const running = send(gateway, key);
  await until(() => upstream.requested.length > 0);
  const refused = await managed(gateway, { call: "DELETE /workspaces/lab" });
  assert.equal(refused.status, 400);
  await managed(gateway, { call: `PATCH /keys/${hash}`, body: { disabled: true } });
  const deleted = await managed(gateway, { call: "DELETE /workspaces/lab" });
  assert.deepEqual([deleted.status, deleted.body], [200, { deleted: true }]);
  const late = await send(gateway, key);
  assert.equal(late.status, 401, await late.text());
  release();
  const ended = await running;
  assert.equal(ended.status, 200, await ended.text());
  assert.equal((await managed(gateway, { call: `GET /keys/${hash}` })).status, 404);
  assert.deepEqual(await orphansIn(gateway.store), []);
});

Deno.test("a workspace that many delete and fill at once leaves nothing behind", async () => {
  await using gateway = await startGateway({ env });
  for (let round = 0; round < 5; round++) {
    const id = await makeLab(gateway);
    const make = (call: string, body: Json) => managed(gateway, { call, body });
    const results = await Promise.all([
      ...[1, 2].map(() => managed(gateway, { call: "DELETE /workspaces/lab" })),
      ...[1, 2].map(() => make("POST /keys", { name: "k", workspace_id: id })),
      make("POST /guardrails", { name: "g", workspace_id: id }),
      make("POST /byok", { provider: "mock", key: "sk-0123456789", workspace_id: id }),
      make("PATCH /workspaces/lab", { description: "changed" }),
      managed(gateway, { call: "PUT /workspaces/lab/budgets/daily", body: { limit_usd: 1 } }),
      upload(gateway, { token: gateway.managementKey, query: `?workspace_id=${id}` }),
    ]);
    const [one, two, ...others] = results.map(({ status }) => status);
    for (const status of others) assert([200, 201, 400, 404].includes(status), `status ${status}`);
    const deletions = [one, two].filter((status) => status === 200).length;
    assert(deletions <= 1);
    assert.deepEqual(await orphansIn(gateway.store), []);
    if (deletions === 1) continue;
    const keys = results.slice(2, 4).filter(({ status }) => status === 201);
    assert(keys.length > 0, `refused without a reason: ${one} ${two}`);
    for (const { body } of keys) {
      await managed(gateway, { call: `DELETE /keys/${String(asObject(body.data).hash)}` });
    }
    assert.equal((await managed(gateway, { call: "DELETE /workspaces/lab" })).status, 200);
  }
  assert.deepEqual(await orphansIn(gateway.store), []);
  const blobs = await Array.fromAsync(gateway.blobs.list());
  assert.equal(blobs.length, (await fileRows(gateway)).length);
});

const full = {
  "POST /workspaces": {
    name: "Lab",
    slug: "lab",
    description: null,
    io_logging_sampling_rate: 0.5,
    io_logging_api_key_ids: [1, 2],
    disabled_server_tools: ["openrouter:bash"],
    default_plugins: [{ id: "web", max_results: 3, locked: true }],
    include_byok_in_budgets: true,
  },
  "PATCH /workspaces/default": { name: "Default", default_text_model: "a/b", slug: "default" },
  "PUT /workspaces/default/budgets/daily": { limit_usd: 12.5, include_byok_in_budgets: false },
  "PUT /workspaces/default/rate-limits": { requests_per_minute: 5, concurrent_streams: null },
  "POST /workspaces/default/members/add": { user_ids: ["ann", "bob"] },
  "POST /guardrails": {
    name: "g",
    limit_usd: 5,
    reset_interval: "daily",
    allowed_models: ["a/*"],
    ignored_providers: ["x"],
    enforce_zdr: true,
    content_filters: [],
    content_filter_builtins: null,
    allowed_data_regions: ["us"],
  },
  "POST /byok": {
    provider: "mock",
    key: "sk-0123456789abcdef",
    name: "k",
    allowed_models: ["a/*"],
    allowed_user_ids: ["ann"],
    declared_zdr: null,
  },
} as const;

const count = runs(200);

for (const [call, body] of Object.entries(full)) {
  Deno.test(`${call} answers damaged bodies without a fault of ours`, async () => {
    await using gateway = await startGateway({ env });
    const corpus = [JSON.stringify(body)];
    for (const { text, done } of mutatedFrom({ seed: 20_261_121, count, corpus })) {
      const response = await manage(gateway, { call, body: text });
      const answered = await response.text();
      assert(response.status < 500, `${done.join(", ")}: ${response.status} ${answered.slice(0, 300)}`);
    }
    assert.deepEqual(await orphansIn(gateway.store), []);
  });
}
