import assert from "node:assert/strict";
import { noRateLimits, type RateLimits } from "../../../shared/rate_limits.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { CacheListener, CacheTopic } from "../core/cache_versions.ts";
import { type KeyRow, newKeyRow } from "../keys/key_rows.ts";
import { RateLimitResolver } from "./rate_limit_resolver.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";
async function setWorkspace(store: Store, rate_limits: RateLimits | null): Promise<void> {
  const made = {
    id: workspaceId,
    name: "W",
    slug: "w",
    description: null,
    created_by: null,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: null,
    rate_limits,
  };
  await store.commit({ puts: [workspaceCollection(store).put([workspaceId], made)] });
}

function rig(change: Partial<KeyRow>) {
  const listeners = new Map<CacheTopic, CacheListener>();
  const inner = memoryStore();
  const state = {
    keyReads: 0,
    storeReads: 0,
    row: { ...newKeyRow({ kind: "api", token: "t", name: "k", workspaceId }, 0), ...change },
  };
  const store: Store = {
    get: (key) => (state.storeReads++, inner.get(key)),
    getMany: (keys) => inner.getMany(keys),
    list: (prefix, options) => inner.list(prefix, options),
    commit: (commit) => inner.commit(commit),
    health: () => inner.health(),
    close: () => inner.close(),
  };
  const resolver = new RateLimitResolver({
    keyCache: { rowOf: () => (state.keyReads++, state.row) },
    store,
    cacheVersions: { on: (topic, listener) => void listeners.set(topic, listener) },
  });
  const caller = { kind: "api", keyHash: state.row.hash, workspaceId } as const;
  const tell = (topic: CacheTopic, id?: string) => listeners.get(topic)?.(id);
  return { resolver, caller, state, store: inner, tell };
}

Deno.test("RateLimitResolver knows of a key without limits after one look, and asks nobody again", async () => {
  const { resolver, caller, state } = rig({ rate_limits: noRateLimits });
  assert.deepEqual(await resolver.limitsOf(caller), []);
  assert.ok(Array.isArray(resolver.limitsOf(caller)), "it is said at once");
  assert.deepEqual([state.keyReads, state.storeReads], [1, 1]);
});

Deno.test("RateLimitResolver names the key's limits before the workspace's, each with its scope", async () => {
  const limits = { ...noRateLimits, requests_per_minute: 5 };
  const { resolver, caller, store } = rig({ rate_limits: limits, ledger_id: "f".repeat(64) });
  assert.deepEqual(resolver.resolveCached(caller), []);
  await setWorkspace(store, { ...noRateLimits, tokens_per_minute: 9 });
  assert.deepEqual(await resolver.limitsOf(caller), [
    { type: "key", scope: `key:${"f".repeat(64)}`, limits },
    {
      type: "workspace",
      scope: `workspace:${workspaceId}`,
      limits: { ...noRateLimits, tokens_per_minute: 9 },
    },
  ]);
  assert.equal(resolver.resolveCached(caller).length, 2);
});

Deno.test("RateLimitResolver looks again after a change of the key or of workspaces, and after no other", async () => {
  const { resolver, caller, state, store, tell } = rig({});
  await resolver.limitsOf(caller);
  state.row = { ...state.row, rate_limits: { ...noRateLimits, concurrent_streams: 1 } };
  tell("keys", "0".repeat(64));
  assert.deepEqual(await resolver.limitsOf(caller), []);
  tell("keys", state.row.hash);
  assert.equal((await resolver.limitsOf(caller)).length, 1);
  await setWorkspace(store, { ...noRateLimits, requests_per_minute: 1 });
  assert.equal((await resolver.limitsOf(caller)).length, 1);
  tell("workspaces", workspaceId);
  assert.equal((await resolver.limitsOf(caller)).length, 2);
  tell("keys");
  assert.equal((await resolver.limitsOf(caller)).length, 2);
});

Deno.test("RateLimitResolver does not remember what was looked up before a change", async () => {
  const { resolver, caller, state, tell } = rig({});
  const before = resolver.limitsOf(caller);
  state.row = { ...state.row, rate_limits: { ...noRateLimits, requests_per_minute: 3 } };
  tell("keys", state.row.hash);
  await before;
  assert.equal((await resolver.limitsOf(caller)).length, 1);
});
