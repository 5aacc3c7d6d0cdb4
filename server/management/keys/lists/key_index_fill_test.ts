import assert from "node:assert/strict";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { listIndexedKeys, listKeysByText } from "./key_index.ts";
import { areKeyWordsComplete, fillKeyIndex, fillKeyWords } from "./key_index_fill.ts";
import { keyCollection, newKeyRow } from "../key_rows.ts";

const workspaceId = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const clock = { now: () => Date.UTC(2026, 0, 14, 12) };

const rowAt = (at: number) =>
  newKeyRow({ kind: "api", token: `token-${at}`, name: `Key ${at}`, workspaceId }, clock.now() + at);

/** A store of keys without any index row. */
async function oldStore(count: number): Promise<Store> {
  const store = memoryStore();
  for (let at = 0; at < count; at++) await keyCollection(store).create([rowAt(at).hash], rowAt(at));
  return store;
}

const listed = (store: Store) =>
  Array.fromAsync(listIndexedKeys(store, { name: "workspace", of: workspaceId }), ({ hash }) => hash);
const found = (store: Store, prefix: string) =>
  Array.fromAsync(listKeysByText(store, { index: "word", workspaceId, prefix }), ({ name }) => name);

Deno.test("fillKeyIndex indexes the keys of an older store, once", async () => {
  const store = await oldStore(60);
  assert.deepEqual(await listed(store), []);
  await fillKeyIndex({ store, clock });
  assert.equal((await listed(store)).length, 60);
  const late = rowAt(61);
  await keyCollection(store).create([late.hash], late);
  await fillKeyIndex({ store, clock });
  assert.equal((await listed(store)).length, 60);
});

Deno.test("fillKeyWords makes the words of older keys, and begins anew where it was stopped", async () => {
  const store = await oldStore(60);
  let left = 30;
  await fillKeyWords({ store, clock, isStopped: () => left-- === 0 });
  assert.equal(await areKeyWordsComplete(store), false);
  assert((await found(store, "key")).length < 60);
  await fillKeyWords({ store, clock });
  assert.equal(await areKeyWordsComplete(store), true);
  assert.equal((await found(store, "key")).length, 60);
  assert.deepEqual(await found(store, "5"), [
    "Key 5",
    ...Array.from({ length: 10 }, (_, at) => `Key 5${at}`),
  ]);
});
