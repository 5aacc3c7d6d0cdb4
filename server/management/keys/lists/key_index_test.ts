import assert from "node:assert/strict";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import {
  isActive,
  keyDeletes,
  keyPuts,
  listIndexedKeys,
  listKeysByText,
  outdatedKeyRows,
} from "./key_index.ts";
import { type KeyRow, newKeyRow } from "../key_rows.ts";

const workspaceId = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const now = Date.UTC(2026, 0, 14, 12);

function rowAt(at: number, changes: Partial<KeyRow> = {}): KeyRow {
  const fresh = newKeyRow({ kind: "api", token: `token-${at}`, name: `Key ${at}`, workspaceId }, now + at);
  return { ...fresh, ...changes };
}

async function hashes(store: Store, name: Parameters<typeof listIndexedKeys>[1]): Promise<string[]> {
  const found: string[] = [];
  for await (const { hash } of listIndexedKeys(store, name)) found.push(hash);
  return found;
}

const mine = { name: "workspace", of: workspaceId } as const;

Deno.test("listIndexedKeys lists the keys of a workspace, the youngest first, page after page", async () => {
  const store = memoryStore();
  const rows = Array.from({ length: 2_345 }, (_, at) => rowAt(at));
  for (const row of rows) await store.commit({ puts: keyPuts(store, row) });
  assert.deepEqual(await hashes(store, mine), rows.map(({ hash }) => hash).reverse());
  assert.deepEqual(await hashes(store, { name: "workspace", of: "another" }), []);
});

Deno.test("keyPuts and keyDeletes keep every index a key stands in", async () => {
  const store = memoryStore();
  const byClient = rowAt(1, { client_id: "c" });
  const management = rowAt(2, { kind: "management" });
  const secret = rowAt(3, { kind: "client", client_id: "c" });
  const all = [byClient, management, secret];
  const lists = async () =>
    await Promise.all([
      hashes(store, mine),
      hashes(store, { name: "client", of: "c" }),
      hashes(store, { name: "management" }),
      hashes(store, { name: "secret", of: "c" }),
    ]);
  for (const row of all) await store.commit({ puts: keyPuts(store, row) });
  assert.deepEqual(await lists(), [[byClient.hash], [byClient.hash], [management.hash], [secret.hash]]);
  for (const row of all) await store.commit({ deletes: keyDeletes(store, row) });
  assert.deepEqual(await lists(), [[], [], [], []]);
});

Deno.test("a key that is renamed leaves no row of its former words", async () => {
  const store = memoryStore();
  const before = rowAt(1, { name: "Blue harbour pipeline" });
  await store.commit({ puts: keyPuts(store, before) });
  const after = { ...before, name: "Red harbour" };
  await store.commit({ puts: keyPuts(store, after), deletes: outdatedKeyRows(store, { before, after }) });
  const names = async (index: "word" | "name", prefix: string) =>
    await Array.fromAsync(listKeysByText(store, { index, workspaceId, prefix }), ({ name }) => name);
  assert.deepEqual(await names("word", "blue"), []);
  assert.deepEqual(await names("word", "pipe"), []);
  assert.deepEqual(await names("word", "harb"), ["Red harbour"]);
  assert.deepEqual(await names("name", ""), ["Red harbour"]);
  await store.commit({ deletes: keyDeletes(store, after) });
  assert.deepEqual([...await names("word", ""), ...await names("name", "")], []);
});

Deno.test("isActive tells what counts as an active key", () => {
  const at = (ms: number) => new Date(now + ms).toISOString();
  const cases = [[false, null, true], [true, null, false], [false, at(1), true], [
    false,
    at(0),
    false,
  ]] as const;
  for (const [disabled, expires_at, expected] of cases) {
    assert.equal(isActive({ disabled, expires_at }, now), expected);
  }
});
