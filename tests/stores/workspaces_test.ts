/** Workspaces on every store: at their largest, within what the strictest takes in one commit; and in races. */

import assert from "node:assert/strict";
import type { Store } from "../../server/storage/stores/store.ts";
import { adminRig } from "../support/admin.ts";
import { remoteKvStore, testEachStore } from "../support/each_store.ts";
import { orphansIn } from "../support/leftover_records.ts";

const wide = (chars: number) => "\u20ac".repeat(chars);

async function atTheirLargest(store: Store): Promise<void> {
  const { call, addKey, clock } = await adminRig({ store });
  const settings = {
    description: wide(500),
    io_logging_api_key_ids: Array.from({ length: 500 }, () => Number.MAX_SAFE_INTEGER),
    disabled_server_tools: Array.from({ length: 50 }, () => wide(64)),
    default_plugins: [{ id: "web", search_prompt: wide(5_440) }],
  };
  const { data: { id } } = await call("workspaces.create", {
    body: { name: wide(100), slug: "lab", ...settings },
  });
  await call("workspaces.update", { params: { id }, body: { name: "Lab", slug: "labor" } });
  for (const [at, interval] of ["daily", "weekly", "monthly", "lifetime"].entries()) {
    await call("budgets.set", { params: { id, interval }, body: { limit_usd: at + 1 } });
  }
  const user_ids = Array.from({ length: 20 }, (_, at) => `${at}${wide(250)}`);
  await call("workspaces.members.add", { params: { id }, body: { user_ids } });
  const { data: { id: guardrail } } = await call("guardrails.create", {
    body: {
      name: wide(200),
      workspace_id: id,
      description: wide(1_000),
      allowed_models: Array.from({ length: 100 }, () => "x".repeat(1_000)),
    },
  });
  const params = { id: guardrail };
  await call("guardrails.update", { params, body: { name: "Other" } });
  const keys = [];
  for (let at = 0; at < 12; at++) {
    keys.push(await addKey({ workspace_id: id, disabled: true }));
  }
  await call("guardrails.assignments.keys.add", {
    params,
    body: { key_hashes: keys.map(({ hash }) => hash) },
  });
  await call("guardrails.assignments.members.add", { params, body: { member_user_ids: user_ids } });
  const names = Array.from({ length: 100 }, () => wide(300));
  await call("byok.create", {
    body: {
      provider: "openai",
      key: "k".repeat(20_000),
      workspace_id: id,
      name: wide(255),
      allowed_models: names,
    },
  });
  clock.leap(1);
  assert.deepEqual(await orphansIn(store), []);
  assert.deepEqual(await call("workspaces.delete", { params: { id: "labor" } }), { deleted: true });
  assert.deepEqual(await orphansIn(store), []);
}

/** Tests what only a store decides: one slug for one of many, and no key in a workspace that goes. */
async function inRaces(store: Store): Promise<void> {
  const { call } = await adminRig({ store, pausesPass: true });
  const create = () => call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  const made = await Promise.allSettled(Array.from({ length: 10 }, create));
  assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
  const { data: { id } } = await call("workspaces.get", { params: { id: "lab" } });
  const results = await Promise.allSettled([
    call("workspaces.delete", { params: { id } }),
    ...[1, 2, 3].map(() => call("keys.create", { body: { name: "k", workspace_id: id } })),
    call("guardrails.create", { body: { name: "g", workspace_id: id } }),
    call("byok.create", { body: { provider: "openai", key: "sk-0123456789", workspace_id: id } }),
    call("budgets.set", { params: { id, interval: "daily" }, body: { limit_usd: 1 } }),
  ]);
  const [deleted, ...keys] = results.slice(0, 4).map(({ status }) => status === "fulfilled");
  if (deleted) assert(!keys.some(Boolean));
  assert.deepEqual(await orphansIn(store), []);
}

testEachStore("the largest workspace, guardrail and provider key fit, and go", atTheirLargest);

for (let round = 0; round < 5; round++) {
  testEachStore(`a slug is one workspace's, and one that goes leaves nothing behind, ${round}`, inRaces);
}

Deno.test("a guardrail that is too large for a commit is refused and names why", async () => {
  const store = await remoteKvStore();
  const { call } = await adminRig({ store });
  const allowed_models = Array.from({ length: 300 }, () => "x".repeat(1_000));
  await assert.rejects(
    call("guardrails.create", { body: { name: "x", allowed_models } }),
    /body makes a guardrail of \d+ bytes; at most 200000 are allowed/,
  );
  await store.close();
});
