/** `PATCH /keys`: one change of many keys, an outcome each. */

import assert from "node:assert/strict";
import * as z from "zod";
import { managementApi } from "../../shared/management/api.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";

const NOWHERE = "0".repeat(64);

async function bulk(gateway: Gateway, body: unknown) {
  const answer = await managed(gateway, { call: "PATCH /keys", body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return managementApi["keys.update_many"].output.parse(answer.body).data;
}

async function madeId(gateway: Gateway, call: { readonly call: string; readonly body: unknown }) {
  const { status, body } = await managed(gateway, call);
  assert(status < 300, JSON.stringify(body));
  return z.object({ id: z.string() }).parse(body.data).id;
}

Deno.test("PATCH /keys changes each key that it can, and says why it could not another", async () => {
  await using gateway = await startGateway();
  const keys = [];
  for (let at = 0; at < 3; at++) keys.push(await createKey(gateway, { name: `Key ${at}` }));
  const trial = await createKey(gateway, { self_test: true, limit: 1 });
  const listed = asList((await managed(gateway, { call: "GET /management-keys" })).body.data);
  const manager = String(asObject(listed[0] ?? {}).hash);
  const own = keys.map(({ record }) => record.hash);
  const hashes = [...own, own[0], NOWHERE, manager, trial.record.hash];
  const changes = { limit: 5, limit_reset: "daily", expires_at: "2100-01-01T00:00:00Z" };
  const outcomes = await bulk(gateway, { hashes, changes });
  assert.deepEqual(outcomes.map(({ hash }) => hash), [...own, NOWHERE, manager, trial.record.hash]);
  assert.deepEqual(outcomes.map(({ error }) => error?.code ?? 200), [200, 200, 200, 404, 404, 400]);
  for (const { key, error } of outcomes) {
    assert.equal(key === null, error !== null);
    if (key === null) continue;
    const { limit, limit_reset, expires_at } = key;
    assert.deepEqual([limit, limit_reset, expires_at], [5, "daily", "2100-01-01T00:00:00.000Z"]);
    const { body } = await managed(gateway, { call: `GET /keys/${key.hash}` });
    assert.deepEqual(body.data, key);
  }
  const audit = await managed(gateway, { call: "GET /audit?operation=keys.update_many" });
  assert.deepEqual(asList(audit.body.data).length, 3);
  const expiring = await managed(gateway, { call: "GET /keys?sort=expires&limit=3" });
  const names = asList(expiring.body.data).map((one) => String(asObject(one).name)).sort();
  assert.deepEqual(names, ["Key 0", "Key 1", "Key 2"]);
});

Deno.test("PATCH /keys disables and enables at once", async () => {
  await using gateway = await startGateway();
  const { record: { hash }, key } = await createKey(gateway);
  for (const [disabled, status] of [[true, 401], [false, 200]] as const) {
    const [outcome] = await bulk(gateway, { hashes: [hash], changes: { disabled } });
    assert.equal(outcome?.key?.disabled, disabled);
    const response = await manage(gateway, { call: "GET /key", token: key });
    await response.body?.cancel();
    assert.equal(response.status, status);
  }
});

Deno.test("PATCH /keys gives keys a guardrail of their workspace, and takes it away", async () => {
  await using gateway = await startGateway();
  const lab = await madeId(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const here = (await createKey(gateway, { name: "Here" })).record;
  const there = (await createKey(gateway, { name: "There", workspace_id: lab })).record;
  const guardrail = await madeId(gateway, {
    call: "POST /guardrails",
    body: { name: "Strict", workspace_id: lab },
  });
  const hashes = [here.hash, there.hash];
  const assigned = async () => {
    const { body } = await managed(gateway, { call: `GET /guardrails/${guardrail}/assignments/keys` });
    return asList(body.data).map((one) => asObject(one).key_name);
  };
  const changes = { guardrail_id: guardrail, limit: 2 };
  const outcomes = await bulk(gateway, { hashes, changes });
  assert.deepEqual(outcomes.map(({ error }) => error?.code ?? 200), [400, 200]);
  assert.deepEqual(await assigned(), ["There"]);
  const kept = await managed(gateway, { call: `GET /keys/${here.hash}` });
  assert.equal(asObject(kept.body.data).limit, null, "a key that was refused is as it was");
  const [gone] = await bulk(gateway, {
    hashes: [there.hash],
    changes: { guardrail_id: NOWHERE.slice(0, 8) + "-0000-4000-8000-000000000000" },
  });
  assert.equal(gone?.error?.code, 404);
  const taken = await bulk(gateway, { hashes, changes: { guardrail_id: null } });
  assert.deepEqual(taken.map(({ error }) => error), [null, null]);
  assert.deepEqual(await assigned(), []);
});

Deno.test("PATCH /keys says what it takes", async () => {
  await using gateway = await startGateway();
  const { record: { hash } } = await createKey(gateway);
  const cases = [
    [{ hashes: [], changes: { disabled: true } }, /hashes/],
    [{ hashes: Array.from({ length: 101 }, () => hash), changes: { disabled: true } }, /100/],
    [{ hashes: ["x"], changes: { disabled: true } }, /hashes/],
    [{ hashes: [hash], changes: {} }, /allowed are disabled, limit, .*cache_ttl_seconds, .*guardrail_id$/],
    [{ hashes: [hash], changes: { name: "One for all" } }, /name/],
    [{ hashes: [hash], changes: { limit: -1 } }, /limit/],
    [{ hashes: [hash], changes: { cache_enabled: null } }, /cache_enabled is null; true or false/],
    [{ hashes: [hash], changes: { cache_ttl_seconds: 86_401 } }, /cache_ttl_seconds is 86401; at most 86400/],
    [{ hashes: [hash], changes: { expires_at: "tomorrow" } }, /moment with seconds and time zone/],
    [{ hashes: [hash] }, /changes/],
  ] as const;
  for (const [body, says] of cases) {
    const { status, body: answer } = await managed(gateway, { call: "PATCH /keys", body });
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(String(asObject(answer.error).message), says);
  }
});
