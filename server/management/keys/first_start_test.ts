import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import { counting } from "../../../tests/support/receipts.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import type { LogFields } from "../../runtime.ts";
import { runFirstStart } from "./first_start.ts";
import type { FirstStartOptions } from "../core/installation.ts";
import { createKeyDescriber } from "./describe_key.ts";
import { KeyCache } from "./key_cache.ts";
import { hashKey, keyCollection } from "./key_rows.ts";
import { recoverManagementKey } from "./recover_management_key.ts";
import { keyDetailsSchema } from "../../../shared/keys.ts";
import { toNanoUsd } from "../../../shared/money.ts";

const own = (letter: string) => letter.repeat(32);

function fakeRuntime() {
  const lines: { readonly message: string; readonly fields?: LogFields }[] = [];
  const write = (message: string, fields?: LogFields) => lines.push({ message, fields });
  let drawn = 0;
  return {
    lines,
    clock: fakeClock(),
    randomToken: (bytes: number) => String(++drawn).padStart(Math.ceil(bytes * 4 / 3), "r"),
    id: () => crypto.randomUUID().replaceAll("-", ""),
    log: { debug: write, info: write, warn: write, error: write },
  };
}

/** Starts on the store as `main.ts` does. */
function start(store: Store, options: Partial<FirstStartOptions> = {}) {
  return runFirstStart({ store, runtime: fakeRuntime(), configuredKeys: {}, mayPrint: true, ...options });
}

/** Finds the caller that this key stands for now. */
async function callerOf(store: Store, token: string | undefined) {
  return await new KeyCache({ store, clock: fakeClock() }).find(token ?? "");
}

Deno.test("runFirstStart makes a workspace and both keys once", async () => {
  const store = memoryStore();
  const first = await start(store);
  assert.equal(first.first, true);
  assert.match(first.managementKey ?? "", /^tg-mgmt-.{43}$/);
  assert.match(first.apiKey ?? "", /^tg-api-.{43}$/);
  const manager = await callerOf(store, first.managementKey);
  const api = await callerOf(store, first.apiKey);
  assert.equal(manager?.kind, "management");
  assert.equal(api?.kind, "api");
  assert.equal(manager?.workspaceId, api?.workspaceId);
  assert.match(
    api?.workspaceId ?? "",
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  const [workspace] = await store.list(["workspaces"]);
  assert.deepEqual(workspace?.key, ["workspaces", api?.workspaceId]);
  assert.deepEqual((await store.get(["workspace_slugs", "default"]))?.value, { id: api?.workspaceId });
  assert.deepEqual(await start(store), { first: false });
  assert.equal((await store.list(["keys"])).length, 2);
});

Deno.test("runFirstStart looks at no key of a store whose keys were all indexed", async () => {
  const store = memoryStore();
  await start(store);
  const { store: counted, calls } = counting(store);
  await start(counted);
  assert.equal(calls.lists, 0);
});

Deno.test("runFirstStart keeps no key's text", async () => {
  const store = memoryStore();
  const { managementKey = "", apiKey = "" } = await start(store);
  for (const prefix of ["keys", "meta", "workspaces", "workspace_slugs"]) {
    const text = JSON.stringify(await store.list([prefix]));
    assert.ok(!text.includes(managementKey.slice(8)) && !text.includes(apiKey.slice(7)), prefix);
  }
});

Deno.test("runFirstStart lets one of several instances win, and the losers show nothing", async () => {
  const store = memoryStore();
  const started = await Promise.all([start(store), start(store), start(store)]);
  const winners = started.filter(({ first }) => first);
  assert.equal(winners.length, 1);
  assert.equal((await store.list(["keys"])).length, 2);
  assert.equal((await callerOf(store, winners[0]?.apiKey))?.kind, "api");
  for (const loser of started.filter(({ first }) => !first)) assert.deepEqual(loser, { first: false });
});

Deno.test("runFirstStart takes the environment's keys and does not show them", async () => {
  const store = memoryStore();
  const started = await start(store, { configuredKeys: { management: own("m"), api: own("a") } });
  assert.deepEqual(started, { first: true, managementKey: undefined, apiKey: undefined });
  assert.equal((await callerOf(store, own("m")))?.kind, "management");
  assert.equal((await callerOf(store, own("a")))?.kind, "api");
});

Deno.test("runFirstStart puts a changed key of the environment in the place of the old one", async () => {
  const store = memoryStore();
  const { managementKey } = await start(store, { configuredKeys: { api: own("a") } });
  const runtime = fakeRuntime();
  const keys = { management: own("m"), api: own("b") };
  assert.deepEqual(await start(store, { runtime, configuredKeys: keys }), { first: false });
  assert.deepEqual(runtime.lines.map(({ fields }) => fields?.setting), [
    "TOLLGATE_MANAGEMENT_KEY",
    "TOLLGATE_API_KEY",
  ]);
  assert.ok(!JSON.stringify(runtime.lines).includes("mmm"));
  assert.equal(await callerOf(store, managementKey), undefined);
  assert.equal(await callerOf(store, own("a")), undefined);
  assert.equal((await callerOf(store, own("m")))?.kind, "management");
  assert.equal((await callerOf(store, own("b")))?.kind, "api");
  assert.equal((await store.list(["keys"])).length, 2);
  const row = await keyCollection(store).get(hashKey(own("b")));
  assert.equal(row?.record.ledger_id, hashKey(own("a")), "it goes on with the same spend");
  const again = fakeRuntime();
  await start(store, { runtime: again, configuredKeys: keys });
  await start(store, { runtime: again });
  assert.deepEqual(again.lines, []);
});

Deno.test("runFirstStart replaces a key once when several instances come with it", async () => {
  const store = memoryStore();
  await start(store);
  const worlds = [fakeRuntime(), fakeRuntime(), fakeRuntime()];
  await Promise.all(
    worlds.map((runtime) => start(store, { runtime, configuredKeys: { api: own("b") } })),
  );
  assert.equal(worlds.flatMap(({ lines }) => lines).length, 1);
  assert.equal((await store.list(["keys"])).length, 2);
});

Deno.test("runFirstStart refuses a key that is in use as another kind", async () => {
  const store = memoryStore();
  await start(store, { configuredKeys: { management: own("m") } });
  await assert.rejects(
    start(store, { configuredKeys: { api: own("m") } }),
    /TOLLGATE_API_KEY is in use as another kind of key/,
  );
});

Deno.test("runFirstStart leaves a key deleted that an operator has deleted", async () => {
  const store = memoryStore();
  await start(store, { configuredKeys: { api: own("a") } });
  const keys = await store.list(["keys"]);
  const api = keys.find(({ value }) => JSON.stringify(value).includes('"api"'));
  await store.commit({ deletes: [api?.key ?? []] });
  const runtime = fakeRuntime();
  await start(store, { runtime, configuredKeys: { api: own("a") } });
  assert.match(runtime.lines[0]?.message ?? "", /was deleted/);
  assert.equal(await callerOf(store, own("a")), undefined);
});

Deno.test("runFirstStart generates nothing where output is kept, and demands a management key", async () => {
  const store = memoryStore();
  await assert.rejects(start(store, { mayPrint: false }), /TOLLGATE_MANAGEMENT_KEY is not set/);
  const started = await start(store, { mayPrint: false, configuredKeys: { management: own("m") } });
  assert.deepEqual(started, { first: true, managementKey: undefined, apiKey: undefined });
  assert.equal((await store.list(["keys"])).length, 1);
  assert.deepEqual(await start(store, { mayPrint: false }), { first: false });
  await start(store, { mayPrint: false, configuredKeys: { management: own("m"), api: own("a") } });
  assert.equal((await callerOf(store, own("a")))?.kind, "api");
});

Deno.test("recover makes one more management key, on a store that has been started", async () => {
  const store = memoryStore();
  await assert.rejects(recoverManagementKey(store, fakeRuntime()), /There is nothing to recover/);
  const { managementKey } = await start(store);
  const token = await recoverManagementKey(store, { ...fakeRuntime(), randomToken: () => "x".repeat(43) });
  assert.equal((await callerOf(store, token))?.kind, "management");
  assert.equal((await callerOf(store, managementKey))?.kind, "management");
});

Deno.test("createKeyDescriber answers in the shape of GET /key", async () => {
  const store = memoryStore();
  const { managementKey, apiKey } = await start(store);
  const spent = { cost: toNanoUsd(2_500), byok: toNanoUsd(1) };
  const spend = { daily: spent, weekly: spent, monthly: spent, lifetime: spent };
  const ledger = { readSpend: () => Promise.resolve(spend), posted: () => Promise.resolve() };
  const describe = createKeyDescriber({ store, ledger });
  for (const [token, manages] of [[managementKey, true], [apiKey, false]] as const) {
    const caller = await callerOf(store, token);
    assert.ok(caller);
    const answer = keyDetailsSchema.parse(await describe(caller));
    assert.equal(answer.is_management_key, manages);
    assert.ok(answer.label.endsWith(token?.slice(-3) ?? "?"));
    assert.ok(!JSON.stringify(answer).includes(token ?? "?"));
    assert.equal(answer.usage, 0.0000025);
    assert.equal(answer.byok_usage_monthly, 0.000000001);
    assert.equal(answer.limit, null);
  }
  const failing = { ...store, get: () => Promise.reject(new StoreError("timeout", "late")) };
  const requested = createKeyDescriber({ store: failing, ledger })({
    kind: "api",
    keyHash: "0".repeat(64),
    workspaceId: "w",
  });
  await assert.rejects(requested, { name: "ApiError", kind: "unavailable" });
});
