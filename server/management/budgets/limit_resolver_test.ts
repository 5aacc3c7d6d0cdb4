import assert from "node:assert/strict";
import { toNanoUsd } from "../../../shared/money.ts";
import type { CacheListener, CacheTopic } from "../core/cache_versions.ts";
import { type KeyRow, newKeyRow } from "../keys/key_rows.ts";
import { keyLimitSource, LimitResolver, type LimitSource } from "./limit_resolver.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";

function rig(change: Partial<KeyRow>, sources: readonly LimitSource[] = [keyLimitSource]) {
  const changed: (string | undefined)[] = [];
  const listeners = new Map<CacheTopic, CacheListener>();
  const state = {
    reads: 0,
    row: { ...newKeyRow({ kind: "api", token: "t", name: "k", workspaceId }, 0), ...change },
  };
  const resolver = new LimitResolver({
    keyCache: { rowOf: () => (state.reads++, state.row) },
    cacheVersions: { on: (topic, listener) => void listeners.set(topic, listener) },
    sources,
    changed: (hash) => void changed.push(hash),
  });
  const caller = { kind: "api", keyHash: state.row.hash, workspaceId } as const;
  const tell = (topic: CacheTopic, id?: string) => listeners.get(topic)?.(id);
  return { resolver, caller, state, changed, tell };
}

Deno.test("LimitResolver.resolve names the scopes of a key without limits", async () => {
  const { resolver, caller, state } = rig({});
  const scopes = [`key:${state.row.hash}`, `workspace:${workspaceId}`, "account"];
  assert.deepEqual(await resolver.resolve(caller), { scopes, limits: [] });
});

Deno.test("LimitResolver.resolve counts a rotated key under its first hash", async () => {
  const { resolver, caller } = rig({ limit: 5, limit_reset: "daily", ledger_id: "f".repeat(64) });
  const { scopes, limits } = await resolver.resolve(caller);
  const scope = `key:${"f".repeat(64)}`;
  assert.equal(scopes[0], scope);
  assert.deepEqual(limits, [{
    source: "key",
    name: "The key's daily limit",
    scope,
    period: "daily",
    amount: toNanoUsd(5),
    includeByok: false,
  }]);
});

Deno.test("LimitResolver.resolve answers at once until an epoch changes", async () => {
  const { resolver, caller, state, tell } = rig({ limit: 5 });
  const first = await resolver.resolve(caller);
  assert.equal(resolver.resolve(caller), first);
  assert.equal(state.reads, 1);
  for (
    const [topic, id] of [["keys", caller.keyHash], ["budgets", undefined], ["credits", undefined]] as const
  ) {
    state.row = { ...state.row, limit: state.reads };
    tell(topic, id);
    const { limits } = await resolver.resolve(caller);
    assert.equal(limits[0]?.amount, state.row.limit);
  }
  tell("keys", "e".repeat(64));
  assert.ok(!(resolver.resolve(caller) instanceof Promise), "another key's change does not concern this one");
});

Deno.test("LimitResolver.resolve looks again when limits changed while it looked, once for all who ask", async () => {
  const gates = [0, 1].map(() => Promise.withResolvers<void>());
  let reads = 0;
  const limitsOf = async (row: KeyRow) => {
    await gates[reads++]?.promise;
    return await keyLimitSource.limitsOf(row);
  };
  const { resolver, caller, state, tell } = rig({ limit: 5 }, [{ limitsOf }]);
  const requested = [resolver.resolve(caller), resolver.resolve(caller)];
  await Promise.resolve();
  state.row = { ...state.row, limit: 3 };
  tell("keys", caller.keyHash);
  requested.push(resolver.resolve(caller));
  for (const { resolve } of gates) resolve();
  const payers = await Promise.all(requested);
  for (const { limits } of payers) assert.equal(limits[0]?.amount, 3);
  assert.equal(reads, 2);
  assert.equal(resolver.resolve(caller), payers[2], "what is known now is remembered");
});

Deno.test("LimitResolver tells whose limits have changed", () => {
  const { changed, tell } = rig({});
  tell("keys", "one");
  tell("budgets");
  assert.deepEqual(changed, ["one", undefined]);
});

Deno.test("LimitResolver.resolve takes scopes from its sources once", async () => {
  const scopes = ["guardrail:1:2", "account"];
  const { resolver, caller } = rig({}, [{
    limitsOf: () => [],
    scopesOf: () => Promise.resolve(scopes),
  }]);
  assert.equal((await resolver.resolve(caller)).scopes.length, 4);
});
