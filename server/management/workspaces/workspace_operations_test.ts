import type { ContainerService } from "../../sandbox/containers/container_service.ts";
import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { until } from "../../../tests/support/until.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { failingStore } from "../../../tests/support/failing_store.ts";
import { orphansIn } from "../../../tests/support/leftover_records.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { runFirstStart } from "../keys/first_start.ts";
import { runDeletions, startDeletionJob } from "../core/deletion_job.ts";
import { defaultGuardrailId } from "./workspace_rows.ts";

const refused = (kind: string, words: RegExp) => (error: unknown) => {
  assert(error instanceof ApiError, String(error));
  assert.equal(error.kind, kind);
  assert.match(error.message, words);
  return true;
};

Deno.test("defaultGuardrailId is a UUID that follows from the workspace's", () => {
  const id = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
  assert.equal(defaultGuardrailId(id), defaultGuardrailId(id));
  assert.notEqual(defaultGuardrailId(id), defaultGuardrailId("0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b12"));
  assert.match(
    defaultGuardrailId(id),
    /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

Deno.test("workspaces are made, found by UUID and slug, listed and changed", async () => {
  const { call, clock, home } = await adminRig();
  clock.leap(1);
  const { data: made } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  assert.equal(made.io_logging_sampling_rate, 1);
  assert.equal(made.updated_at, null);
  for (const id of [made.id, made.id.toUpperCase(), "lab"]) {
    assert.deepEqual((await call("workspaces.get", { params: { id } })).data, made);
  }
  const nothing = await call("workspaces.update", { params: { id: "lab" }, body: {} });
  assert.deepEqual(nothing.data, made);
  clock.leap(1_000);
  const { data: changed } = await call("workspaces.update", {
    params: { id: "lab" },
    body: { slug: "labor", description: "Where it is tried" },
  });
  assert.equal(changed.slug, "labor");
  assert.notEqual(changed.updated_at, null);
  await assert.rejects(call("workspaces.get", { params: { id: "lab" } }), refused("not_found", /"lab"/));
  assert.equal((await call("workspaces.get", { params: { id: "labor" } })).data.id, made.id);
  const list = await call("workspaces.list", { query: { limit: "1" } });
  assert.deepEqual([list.total_count, list.data.length, list.data[0]?.id], [2, 1, home]);
  const rest = await call("workspaces.list", { query: { offset: "1" } });
  assert.deepEqual(rest.data.map(({ slug }) => slug), ["labor"]);
});

Deno.test("workspaces.create gives one slug to one of many", async () => {
  const { call, store } = await adminRig();
  const made = await Promise.allSettled(
    Array.from(
      { length: 20 },
      (_, at) => call("workspaces.create", { body: { name: `${at}`, slug: "one" } }),
    ),
  );
  assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
  for (const one of made) {
    if (one.status === "rejected") refused("invalid_request", /slug is one, which another/)(one.reason);
  }
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("workspaces.update moves a slug to one of many", async () => {
  const { call, store } = await adminRig();
  for (const slug of ["a", "b", "c"]) await call("workspaces.create", { body: { name: slug, slug } });
  const moved = await Promise.allSettled(
    ["a", "b", "c"].map((id) => call("workspaces.update", { params: { id }, body: { slug: "d" } })),
  );
  assert.equal(moved.filter(({ status }) => status === "fulfilled").length, 1);
  assert.deepEqual(await orphansIn(store), []);
});

const notSlugs = ["default", "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11"];
Deno.test("workspaces.create refuses slugs that mean something else", async () => {
  const { call } = await adminRig();
  for (const slug of notSlugs) {
    await assert.rejects(
      call("workspaces.create", { body: { name: "x", slug } }),
      refused("invalid_request", /slug is/),
    );
  }
  await assert.rejects(
    call("workspaces.update", { params: { id: "default" }, body: { slug: "other" } }),
    refused("invalid_request", /stays default/),
  );
});

Deno.test("workspaces.delete names the active keys and counts no others", async () => {
  const { call, addKey, clock, store } = await adminRig();
  const { data: { id } } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  const expires_at = new Date(clock.now() + 60_000).toISOString();
  const active = await addKey({ workspace_id: id });
  await addKey({ workspace_id: id, disabled: true });
  await addKey({ workspace_id: id, expires_at });
  const params = { id: "lab" };
  await assert.rejects(
    call("workspaces.delete", { params }),
    refused("invalid_request", /2 active API keys/),
  );
  clock.leap(60_000);
  await assert.rejects(
    call("workspaces.delete", { params }),
    refused("invalid_request", /has 1 active API key\./),
  );
  assert.equal((await call("workspaces.get", { params })).data.id, id);
  await call("keys.update", { params: { hash: active.hash }, body: { disabled: true } });
  await call("budgets.set", { params: { ...params, interval: "daily" }, body: { limit_usd: 1 } });
  await call("workspaces.members.add", { params, body: { user_ids: ["ann", "bob"] } });
  assert.deepEqual(await call("workspaces.delete", { params }), { deleted: true });
  await assert.rejects(call("workspaces.delete", { params }), refused("not_found", /lab/));
  await assert.rejects(call("workspaces.get", { params: { id } }), refused("not_found", /no workspace/));
  assert.deepEqual(await orphansIn(store), []);
  assert.equal((await call("workspaces.create", { body: { name: "Lab", slug: "lab" } })).data.slug, "lab");
});

Deno.test("workspaces.delete asks for a word about the default workspace, and makes none in its place", async () => {
  const { call, store, home, deps } = await adminRig();
  const params = { id: "default" };
  const query = { confirm_default_workspace_deletion: "true" };
  const first = await call("keys.list");
  for (const { hash } of first.data) await call("keys.delete", { params: { hash } });
  const wrongs: readonly Readonly<Record<string, string>>[] = [{}, {
    confirm_default_workspace_deletion: "false",
  }];
  for (const wrong of wrongs) {
    await assert.rejects(
      call("workspaces.delete", { params, query: wrong }),
      refused("invalid_request", /confirm_default_workspace_deletion/),
    );
  }
  assert.deepEqual(await call("workspaces.delete", { params, query }), { deleted: true });
  const relying = [
    call("keys.create", { body: { name: "k" } }),
    call("keys.list"),
    call("guardrails.create", { body: { name: "g" } }),
    call("byok.create", { body: { provider: "openai", key: "sk-0123456789" } }),
  ];
  for (const one of relying) {
    await assert.rejects(one, refused("invalid_request", /workspace_id is missing.*no default workspace/));
  }
  await assert.rejects(
    call("workspaces.create", { body: { name: "Default", slug: "default" } }),
    refused(
      "invalid_request",
      /slug is default, which only the first workspace may have, also after its deletion$/,
    ),
  );
  await runDeletions(deps);
  const { runtime } = deps;
  await runFirstStart({ store, runtime, configuredKeys: { api: "k".repeat(40) }, mayPrint: true });
  assert.deepEqual((await call("workspaces.list")).data, []);
  await assert.rejects(
    call("workspaces.get", { params: { id: home } }),
    refused("not_found", /no workspace/),
  );
  assert.deepEqual(await orphansIn(store), []);
});

Deno.test("workspaces.delete lets no key slip in that is made, or enabled, meanwhile", async () => {
  for (let round = 0; round < 12; round++) {
    const { call, addKey, store } = await adminRig();
    const { data: { id } } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
    const off = await addKey({ workspace_id: id, disabled: true });
    const late = async (turns: number, work: () => Promise<unknown>) => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      return await work();
    };
    const results = await Promise.allSettled([
      call("workspaces.delete", { params: { id } }),
      late(round * 3, () => call("keys.create", { body: { name: "k", workspace_id: id } })),
      late(round * 2, () => call("keys.update", { params: { hash: off.hash }, body: { disabled: false } })),
    ]);
    const [deleted, ...keys] = results.map(({ status }) => status === "fulfilled");
    assert.equal(deleted, !keys.some(Boolean), `round ${round}: ${JSON.stringify(results)}`);
    assert.deepEqual(await orphansIn(store), [], `round ${round}`);
  }
});

/** A container that was restarted, so that its session leads to another one. */
async function fillContainer(containers: ContainerService, workspaceId: string): Promise<void> {
  const container = await containers.open({
    workspaceId,
    sessionId: "s",
    generation: "gen-1",
    containerId: undefined,
    fileIds: [],
    network: undefined,
    sleepAfterSeconds: undefined,
  });
  const { signal } = new AbortController();
  await (await container.restart()).create({ path: "a", text: "text", signal });
}

async function cutOff(afterwards: boolean): Promise<void> {
  for (let at = 1, finished = false; !finished; at++) {
    const store = memoryStore();
    const { call, addKey, deps: { containers } } = await adminRig({ store });
    const { data: { id } } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
    await fillContainer(containers, id);
    for (const disabled of [true, true, true]) await addKey({ workspace_id: id, disabled });
    await call("budgets.set", { params: { id, interval: "daily" }, body: { limit_usd: 1 } });
    await call("workspaces.members.add", { params: { id }, body: { user_ids: ["ann"] } });
    await call("byok.create", { body: { provider: "openai", key: "sk-0123456789", workspace_id: id } });
    const { data: own } = await call("guardrails.create", { body: { name: "x", workspace_id: id } });
    const params = { id: own.id };
    await call("guardrails.assignments.members.add", { params, body: { member_user_ids: ["ann"] } });
    const { hash } = await addKey({ workspace_id: id, disabled: true });
    await call("guardrails.assignments.keys.add", { params, body: { key_hashes: [hash] } });
    const failing = failingStore(store, { at, afterwards });
    const broken = await adminRig({ store: failing.store });
    failing.arm();
    const outcome = await broken.call("workspaces.delete", { params: { id } }).then(() => true, () => false);
    finished = outcome && !failing.failed;
    const next = await adminRig({ store });
    const begun = outcome || (await store.get(["workspace_deletions", id])) !== undefined ||
      (await store.get(["workspaces", id])) === undefined;
    const stop = await startDeletionJob(next.deps);
    await stop();
    assert.equal(await store.get(["workspaces", id]) === undefined, begun, `call ${at}`);
    assert.deepEqual(await orphansIn(store), [], `call ${at}`);
    assert(at < 300);
  }
}

Deno.test("workspaces.delete that is cut off at any call to the store is finished by the next start", async () => {
  await cutOff(false);
  await cutOff(true);
});

Deno.test("startDeletionJob finishes what another instance leaves behind within a minute", async () => {
  const { call, store, deps, clock } = await adminRig();
  const { data: { id } } = await call("workspaces.create", { body: { name: "Lab", slug: "lab" } });
  const stop = await startDeletionJob(deps);
  const failing = failingStore(store, { at: 9 });
  const broken = await adminRig({ store: failing.store });
  failing.arm();
  await assert.rejects(broken.call("workspaces.delete", { params: { id } }), /failed at call 9/);
  assert.notEqual(await store.get(["workspace_deletions", id]), undefined);
  await clock.advanceOnce(() => clock.open > 0, 60_000);
  await until(async () => (await orphansIn(store)).length === 0, { what: "that nothing is left over" });
  assert.equal(await store.get(["workspaces", id]), undefined);
  await stop();
  assert.equal(clock.open, 0);
});

Deno.test("workspaces.rate_limits are set, shown and taken away", async () => {
  const { call } = await adminRig();
  const params = { id: "default" };
  const none = { requests_per_minute: null, tokens_per_minute: null, concurrent_streams: null };
  assert.deepEqual((await call("workspaces.rate_limits.get", { params })).data, none);
  const body = { requests_per_minute: 10 };
  const set = await call("workspaces.rate_limits.set", { params, body });
  assert.deepEqual(set.data, { ...none, ...body });
  assert.deepEqual((await call("workspaces.rate_limits.get", { params })).data, set.data);
  assert.deepEqual((await call("workspaces.rate_limits.set", { params, body: {} })).data, none);
});

Deno.test("members are added and removed once", async () => {
  const { call } = await adminRig();
  const params = { id: "default" };
  const add = (user_ids: string[]) => call("workspaces.members.add", { params, body: { user_ids } });
  assert.equal((await add(["ann", "bob", "ann"])).added_count, 2);
  assert.equal((await add(["bob", "cy"])).added_count, 1);
  assert.equal((await call("workspaces.members.list", { params })).total_count, 3);
  const gone = await call("workspaces.members.remove", { params, body: { user_ids: ["ann", "zoe"] } });
  assert.deepEqual(gone, { removed_count: 1 });
});
