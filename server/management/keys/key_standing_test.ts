import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { bindStore } from "../../storage/stores/bound_store.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import { KeyCache } from "./key_cache.ts";
import { keyCollection, type KeyRow, newKeyRow } from "./key_rows.ts";
import { KeyStanding } from "./key_standing.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";

async function standing() {
  const clock = memoryClock();
  const inner = memoryStore();
  const row = newKeyRow({ kind: "api", token: "one", name: "k", workspaceId }, clock.now());
  const rows = keyCollection(inner);
  await rows.create([row.hash], row);
  const broken = { value: false };
  const get: Store["get"] = (key) => {
    if (broken.value) return Promise.reject(new StoreError("unavailable", "down"));
    return inner.get(key);
  };
  const keyCache = new KeyCache({ store: { ...bindStore(inner), get }, clock });
  const cacheVersions = { refresh: () => {} };
  const caller: Caller = { kind: "api", keyHash: row.hash, workspaceId };
  const lookup = new KeyStanding({ keyCache, cacheVersions, clock }).whileUsable(() => "known");
  const write = async (changes: Partial<KeyRow>) => {
    await inner.commit({ puts: [rows.put([row.hash], { ...row, ...changes })] });
    keyCache.changed(row.hash);
  };
  const remove = async () => {
    await inner.commit({ deletes: [rows.key([row.hash])] });
    keyCache.changed(row.hash);
  };
  return { clock, keyCache, caller, lookup, write, remove, broken };
}

const isRefused = (words: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.kind === "unauthorized" && words.test(error.message);

Deno.test("KeyStanding.whileUsable looks up at once for a key that is held", async () => {
  const { lookup, caller } = await standing();
  assert.equal(await lookup(caller), "known");
  assert.equal(lookup(caller), "known");
});

Deno.test("KeyStanding.whileUsable refuses a key from its change on, and says which it was", async () => {
  const disabled = await standing();
  await disabled.lookup(disabled.caller);
  await disabled.write({ disabled: true });
  await assert.rejects(async () => await disabled.lookup(disabled.caller), isRefused(/was disabled/));
  await disabled.write({ disabled: false });
  assert.equal(await disabled.lookup(disabled.caller), "known");
  const deleted = await standing();
  await deleted.lookup(deleted.caller);
  await deleted.remove();
  await assert.rejects(async () => await deleted.lookup(deleted.caller), isRefused(/was deleted/));
});

Deno.test("KeyStanding.whileUsable refuses a key from the moment of its expiry on", async () => {
  const { clock, lookup, caller, write } = await standing();
  await write({ expires_at: new Date(clock.now() + 60_000).toISOString() });
  assert.equal(await lookup(caller), "known");
  await clock.advance(59_999);
  assert.equal(lookup(caller), "known");
  await clock.advance(1);
  await assert.rejects(async () => await lookup(caller), isRefused(/expired/));
});

Deno.test("KeyStanding.whileUsable refuses no key where the store does not answer: nobody can tell", async () => {
  const { keyCache, lookup, caller, broken } = await standing();
  await lookup(caller);
  keyCache.changed();
  broken.value = true;
  await assert.rejects(
    async () => await lookup(caller),
    (error) => error instanceof ApiError && error.kind === "unavailable",
  );
  broken.value = false;
  assert.equal(await lookup(caller), "known");
});
