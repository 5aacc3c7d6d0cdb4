import assert from "node:assert/strict";
import { memoryClock, settle } from "../../../../tests/support/clock.ts";
import { bindStore } from "../../../storage/stores/bound_store.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { KeyFilter } from "./key_filter.ts";
import { hashKey, keyCollection, newKeyRow } from "../key_rows.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";

const rowOf = (token: string) => newKeyRow({ kind: "api", token, name: "k", workspaceId }, 0);

async function addKey(store: Store, token: string): Promise<string> {
  const row = rowOf(token);
  await keyCollection(store).create([row.hash], row);
  return row.hash;
}

/** A store with so many keys, and a key filter of it that is due at the second wrong key. */
async function rig(
  { keys, list }: { readonly keys: number; readonly list?: (inner: Store) => Store["list"] },
) {
  const inner = memoryStore();
  const hashes: string[] = [];
  for (let at = 0; at < keys; at++) hashes.push(await addKey(inner, `key-${at}`));
  const clock = memoryClock();
  const store = list ? { ...bindStore(inner), list: list(inner) } : inner;
  return { filter: new KeyFilter({ store, clock, floodThreshold: 2 }), clock, hashes, inner };
}

const wrong = Array.from({ length: 100 }, (_, at) => hashKey(`wrong-${at}`));

Deno.test("KeyFilter is certain of nothing before there is a flood, then of all that is no key", async () => {
  const { filter, hashes } = await rig({ keys: 10 });
  filter.countUnknownKey();
  await settle();
  assert.ok(!wrong.some((hash) => filter.excludes(hash)));
  filter.countUnknownKey();
  assert.ok(!wrong.some((hash) => filter.excludes(hash)), "it is still being taken");
  await settle();
  assert.ok(wrong.every((hash) => filter.excludes(hash)));
  assert.ok(!hashes.some((hash) => filter.excludes(hash)));
});

Deno.test("KeyFilter reads a large store page by page and is certain when it has read all of it", async () => {
  const { filter, hashes, clock } = await rig({ keys: 1_203 });
  filter.countUnknownKey();
  filter.countUnknownKey();
  await settle();
  for (let page = 1; page < 3; page++) {
    assert.ok(!wrong.some((hash) => filter.excludes(hash)));
    await clock.advance(50);
  }
  assert.ok(wrong.every((hash) => filter.excludes(hash)));
  assert.ok(!hashes.some((hash) => filter.excludes(hash)));
  assert.equal(clock.open, 0);
});

Deno.test("KeyFilter misses no key that is written before, while and after it is taken", async () => {
  const { filter, clock } = await rig({ keys: 1_203 });
  const hashes = [await addKey(filter.store, "before")];
  filter.countUnknownKey();
  filter.countUnknownKey();
  await settle();
  for (let at = 0; at < 40; at++) hashes.push(await addKey(filter.store, `meanwhile-${at}`));
  await clock.advance(100);
  hashes.push(await addKey(filter.store, "after"));
  assert.ok(wrong.every((hash) => filter.excludes(hash)));
  assert.ok(!hashes.some((hash) => filter.excludes(hash)));
});

Deno.test("KeyFilter counts a key whose commit is still under way, or seems to have failed", async () => {
  const { inner } = await rig({ keys: 0 });
  let land = () => {};
  const commit: Store["commit"] = (wanted) =>
    new Promise((_, reject) => {
      land = () =>
        void inner.commit(wanted).then(() => reject(new StoreError("timeout", "The reply was lost")));
    });
  const store = { ...bindStore(inner), commit };
  const filter = new KeyFilter({ store, clock: memoryClock(), floodThreshold: 1 });
  const written = addKey(filter.store, "late");
  filter.countUnknownKey();
  await settle();
  assert.ok(filter.excludes(hashKey("wrong")));
  assert.ok(!filter.excludes(hashKey("late")));
  land();
  await assert.rejects(written, { kind: "timeout" });
  assert.ok(!filter.excludes(hashKey("late")));
});

Deno.test("KeyFilter tries again with the next flood when the store fails", async () => {
  let broken = true;
  const { filter, hashes } = await rig({
    keys: 3,
    list: (inner) => (prefix, options) =>
      broken ? Promise.reject(new StoreError("unavailable", "no")) : inner.list(prefix, options),
  });
  for (let flood = 0; flood < 2; flood++) {
    filter.countUnknownKey();
    filter.countUnknownKey();
    await settle();
    assert.equal(filter.excludes(hashKey("wrong")), flood === 1);
    broken = false;
  }
  assert.ok(!hashes.some((hash) => filter.excludes(hash)));
});
