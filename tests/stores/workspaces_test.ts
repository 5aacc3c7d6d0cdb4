/** Workspaces and what is theirs at their largest, within what the strictest store takes in one commit. */

import assert from "node:assert/strict";
import { denoKvStore } from "../../server/stores/deno_kv.ts";
import { adminRig } from "../support/admin.ts";
import { fakeClock } from "../support/clock.ts";
import { orphansIn } from "../support/orphans.ts";

/** A store with the limits of a remote one. */
async function remote() {
  const kv = await Deno.openKv(":memory:");
  return denoKvStore({ kv, clock: fakeClock(), maxChecks: 10 });
}

const wide = (chars: number) => "\u20ac".repeat(chars);

Deno.test("the largest workspace, guardrail and provider key fit into a remote store, and go", async () => {
  const store = await remote();
  const { call, addKey, clock } = await adminRig({ store });
  const settings = {
    description: wide(500),
    io_logging_api_key_ids: Array.from({ length: 500 }, () => Number.MAX_SAFE_INTEGER),
    disabled_server_tools: Array.from({ length: 50 }, () => wide(64)),
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
      content_filters: [{ pattern: "x".repeat(100_000), action: "block" }],
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
  await clock.advance(1);
  assert.deepEqual(await orphansIn(store), []);
  assert.deepEqual(await call("workspaces.delete", { params: { id: "labor" } }), { deleted: true });
  assert.deepEqual(await orphansIn(store), []);
  await store.close();
});

Deno.test("a guardrail that is too large for a commit is refused and names why", async () => {
  const store = await remote();
  const { call } = await adminRig({ store });
  const content_filters = Array.from({ length: 3 }, () => ({ pattern: "x".repeat(90_000), action: "block" }));
  await assert.rejects(
    call("guardrails.create", { body: { name: "x", content_filters } }),
    /content_filters makes a guardrail of \d+ bytes; at most 200000 are allowed/,
  );
  await store.close();
});
