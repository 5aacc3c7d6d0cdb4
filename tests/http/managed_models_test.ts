/** `GET /models?workspace_id=` for managers, and `POST /route/explain?workspace_id=`: what holds for a workspace's keys. */

import assert from "node:assert/strict";
import { call, pricedAt } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

interface Rig {
  readonly gateway: Gateway;
  /** Workspace in which nothing is allowed but one model. */
  readonly strict: string;
}

async function withStrictWorkspace(gateway: Gateway): Promise<Rig> {
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "Strict", slug: "strict" } });
  const strict = String(asObject(made.body.data).id);
  const { body } = await managed(gateway, { call: `GET /guardrails?workspace_id=${strict}` });
  const [only] = asList(body.data).map(asObject);
  const changed = await managed(gateway, {
    call: `PATCH /guardrails/${only?.id}`,
    body: { allowed_models: ["mock/model"], limit_usd: 3, reset_interval: "daily" },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  return { gateway, strict };
}

async function modelsOf({ gateway, query }: { readonly gateway: Gateway; readonly query: string }) {
  const { status, body } = await managed(gateway, { call: `GET /models?${query}` });
  assert.equal(status, 200, JSON.stringify(body));
  const byId = new Map(asList(body.data).map(asObject).map((one) => [String(one.id), one]));
  return { byId, total: body.total_count };
}

const endpointsOf = (model: Json | undefined) => asList(model?.endpoints).map(asObject);

Deno.test("GET /models?workspace_id= shows what the workspace's guardrails leave, and why not the rest", async () => {
  await using upstream = scripted((requested, number) =>
    number === 2
      ? Response.json({ error: { message: "No." } }, { status: 400 })
      : says("chat", "Hello there.")(requested, number)
  );
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using gateway = await startGateway({ providers, env: { TOLLGATE_LOCAL: "on" } });
  const { strict } = await withStrictWorkspace(gateway);
  const { key, record: { workspace_id: home } } = await createKey(gateway);
  for (let time = 0; time < 3; time++) await (await call(gateway, { key })).text();
  const [narrow, wide] = [
    await modelsOf({ gateway, query: `workspace_id=${strict}` }),
    await modelsOf({ gateway, query: `workspace_id=${home}` }),
  ];
  assert.deepEqual([...narrow.byId.keys()], [...wide.byId.keys()]);
  assert.equal(narrow.total, narrow.byId.size);
  for (const [id, model] of narrow.byId) {
    const allowed = id === "mock/model";
    assert.deepEqual([model.allowed, wide.byId.get(id)?.allowed], [allowed, true], id);
    for (const { reason } of endpointsOf(model)) {
      assert.equal(reason, allowed ? null : "serves a model that the guardrail does not list");
    }
  }
  const [endpoint] = endpointsOf(narrow.byId.get("mock/model"));
  const { pricing, unpriced, price_source, standing, requests_1d, uptime_last_1d } = endpoint ?? {};
  assert.deepEqual(asObject(pricing).prompt, "0.000001");
  assert.deepEqual([unpriced, price_source, standing, requests_1d], [false, null, "well", 3]);
  assert.equal(uptime_last_1d, 66.7);
  const found = await modelsOf({ gateway, query: `workspace_id=${strict}&q=MOCK+model&limit=1` });
  assert.deepEqual([[...found.byId.keys()], found.total], [["mock/model"], 1]);
});

Deno.test("GET /models without workspace_id, or with an empty one, is the list of every key", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const [plain, empty] = await Promise.all(
    ["", "?workspace_id="].map((query) => managed(gateway, { call: `GET /models${query}` })),
  );
  assert.deepEqual(plain?.body, empty?.body);
  assert.equal(plain?.body.object, "list");
  const absent = await managed(gateway, {
    call: "GET /models?workspace_id=00000000-0000-4000-8000-000000000000",
  });
  assert.equal(absent.status, 404);
  const wrong = await managed(gateway, { call: "GET /models?workspace_id=constructor" });
  assert.equal(wrong.status, 400);
  const { record: { workspace_id } } = await createKey(gateway);
  const own = await managed(gateway, {
    call: `GET /models?workspace_id=${workspace_id}`,
    token: gateway.apiKey,
  });
  assert.equal(own.status, 403);
});

Deno.test("POST /route/explain?workspace_id= tells what a new key of the workspace would be told", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using gateway = await startGateway({ providers, env: { TOLLGATE_LOCAL: "on" } });
  const { strict } = await withStrictWorkspace(gateway);
  const budget = { call: `PUT /workspaces/${strict}/budgets/daily`, body: { limit_usd: 5 } };
  assert.equal((await managed(gateway, budget)).status, 200);
  const { key } = await createKey(gateway, { workspace_id: strict });
  for (const model of ["mock/model", "local/echo"]) {
    const body = { model, input: "Hi", session_id: "s1" };
    const [told, own] = [
      await managed(gateway, { call: `POST /route/explain?workspace_id=${strict}`, body }),
      await managed(gateway, { call: "POST /route/explain", body, token: key }),
    ];
    assert.deepEqual([told.status, own.status], [200, 200], JSON.stringify(told.body));
    assert.deepEqual(told.body, own.body);
  }
  const { record } = await createKey(gateway);
  const cases = [
    [`workspace_id=${strict}&api_key_hash=${record.hash}`, gateway.managementKey, 400],
    ["workspace_id=strict", gateway.managementKey, 400],
    ["workspace_id=", gateway.managementKey, 400],
    ["workspace_id=00000000-0000-4000-8000-000000000000", gateway.managementKey, 404],
    [`workspace_id=${strict}`, key, 403],
  ] as const;
  for (const [query, token, status] of cases) {
    const answer = await managed(gateway, {
      call: `POST /route/explain?${query}`,
      token,
      body: { model: "mock/model", input: "Hi" },
    });
    assert.equal(answer.status, status, query);
  }
});
