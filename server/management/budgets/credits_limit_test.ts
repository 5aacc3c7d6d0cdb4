import assert from "node:assert/strict";
import { newKeyRow } from "../keys/key_rows.ts";
import { ApiError } from "../../../shared/errors.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import { ACCOUNT_CREDITS, creditTotals } from "./credit_rows.ts";
import { creditsLimitSource } from "./credits_limit.ts";
import type { CacheListener } from "../core/cache_versions.ts";

const key = newKeyRow({
  kind: "api",
  token: "tg-api-0123456789012345678901234567890123456789012",
  name: "One",
  workspaceId: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
}, 0);

function rig(store: Store) {
  const listeners: CacheListener[] = [];
  const limit = creditsLimitSource({
    store,
    cacheVersions: { on: (_, listener) => listeners.push(listener) },
  });
  const amounts = async () => (await limit.limitsOf(key)).map(({ amount }) => amount);
  return { amounts, changed: () => listeners.forEach((listener) => listener()) };
}

const set = (store: Store, total: number) =>
  store.commit({ puts: [creditTotals(store).put([ACCOUNT_CREDITS], { total, entries: 1 })] });

Deno.test("creditsLimitSource is none until credits are set, and read again only after a change", async () => {
  const store = memoryStore();
  const { amounts, changed } = rig(store);
  assert.deepEqual(await amounts(), []);
  await set(store, 5);
  assert.deepEqual(await amounts(), []);
  changed();
  assert.deepEqual(await amounts(), [5]);
});

Deno.test("creditsLimitSource is none again once credits are cleared", async () => {
  const store = memoryStore();
  await set(store, 5);
  const { amounts, changed } = rig(store);
  assert.deepEqual(await amounts(), [5]);
  const cleared = { total: 0, entries: 2, cleared: true } as const;
  await store.commit({ puts: [creditTotals(store).put([ACCOUNT_CREDITS], cleared)] });
  changed();
  assert.deepEqual(await amounts(), []);
});

Deno.test("creditsLimitSource refuses while the store does not answer, and asks again", async () => {
  const store = memoryStore();
  await set(store, 5);
  let fails = true;
  const get: Store["get"] = (wanted) =>
    fails ? Promise.reject(new StoreError("timeout", "no answer")) : store.get(wanted);
  const { amounts } = rig({ ...store, get });
  await assert.rejects(amounts(), (error) => error instanceof ApiError && error.kind === "unavailable");
  fails = false;
  assert.deepEqual(await amounts(), [5]);
});

Deno.test("creditsLimitSource does not keep what was read before a change", async () => {
  const store = memoryStore();
  await set(store, 5);
  const gate = Promise.withResolvers<void>();
  let slow = true;
  const get: Store["get"] = async (wanted) => {
    const entry = await store.get(wanted);
    if (slow) await gate.promise;
    return entry;
  };
  const { amounts, changed } = rig({ ...store, get });
  const early = amounts();
  await Promise.resolve();
  slow = false;
  await set(store, 9);
  changed();
  gate.resolve();
  assert.deepEqual(await early, [5]);
  assert.deepEqual(await amounts(), [9]);
});
