/**
 * Tests that a change of workspaces, guardrails or provider keys by one instance holds at another one within a
 * second.
 */

import assert from "node:assert/strict";
import { call, pricedAt } from "../money/rig.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { PROVIDER_KEY, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";
import { says, scripted } from "../support/scripted.ts";

const SECRET = "sk-canary-0f9e8d7c6b5a4321";
const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };

Deno.test("guardrails, provider keys and deletions reach another instance within a second", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  const clock = fakeClock();
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using one = await startGateway({ env, providers, shared: true, clock: fakeClock() });
  await using other = await startGateway({ env, providers, beside: one, clock });
  const { body } = await managed(one, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const { id, default_guardrail_id: guardrail } = asObject(body.data);
  const { key, record: { hash } } = await createKey(one, { workspace_id: id });
  const status = async () => {
    const response = await call(other, { key });
    await response.text();
    return response.status;
  };
  assert.equal(await status(), 200);
  const patch = async (ignored_models: readonly string[] | null) => {
    await managed(one, { call: `PATCH /guardrails/${guardrail}`, body: { ignored_models } });
    await clock.advanceOnce(turns, 1_000);
  };
  await patch(["mock/*"]);
  assert.equal(await status(), 404);
  await patch(null);
  assert.equal(await status(), 200);
  await managed(one, { call: "POST /byok", body: { provider: "mock", key: SECRET, workspace_id: id } });
  await clock.advanceOnce(turns, 1_000);
  assert.equal(await status(), 200);
  const tokens = upstream.requested.map(({ headers }) =>
    headers.get("authorization")?.slice("Bearer ".length)
  );
  assert.deepEqual(tokens, [PROVIDER_KEY, PROVIDER_KEY, SECRET]);
  const budget = { call: "PUT /workspaces/lab/budgets/daily", body: { limit_usd: 0.000001 } };
  assert.equal((await managed(one, budget)).status, 200);
  await managed(one, { call: `PATCH /keys/${hash}`, body: { disabled: true } });
  const deleted = await managed(one, { call: "DELETE /workspaces/lab" });
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
  await clock.advanceOnce(turns, 1_000);
  assert.equal(await status(), 401);
  assert.equal((await managed(other, { call: "GET /workspaces/lab" })).status, 404);
  assert.deepEqual(await orphansIn(one.store), []);
});

Deno.test("of two instances that delete one workspace, one answers and the other finds nothing", async () => {
  await using one = await startGateway({ env, shared: true });
  await using other = await startGateway({ env, beside: one });
  for (let round = 0; round < 5; round++) {
    await managed(one, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
    const both = await Promise.all(
      [one, other].map((gateway) => managed(gateway, { call: "DELETE /workspaces/lab" })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert.deepEqual(await orphansIn(one.store), []);
  }
});
