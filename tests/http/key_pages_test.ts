/** `GET /keys` of a workspace with many keys, read page by page while keys come, go and change. */

import assert from "node:assert/strict";
import { keyPuts } from "../../server/management/keys/lists/key_index.ts";
import { newKeyRow } from "../../server/management/keys/key_rows.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { keyRecordSchema } from "../../shared/keys.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

interface Watched extends Store {
  /** Rows of the keys' index that were read. */
  readonly read: () => number;
}

function watched(): Watched {
  const store = memoryStore();
  let rows = 0;
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: async (prefix, options) => {
      const found = await store.list(prefix, options);
      if (prefix[0] === "keys_by_workspace") rows += found.length;
      return found;
    },
    commit: (commit) => store.commit(commit),
    health: () => store.health(),
    close: () => store.close(),
    read: () => rows,
  };
}

const MANY = 3_000;
const PAGE = 100;

/** Every tenth is disabled. */
async function fill({ store }: Gateway, workspaceId: string): Promise<void> {
  const rows = Array.from({ length: MANY }, (_, at) => {
    const row = newKeyRow({ kind: "api", token: `key ${at}`, name: `Key ${at}`, workspaceId }, 1_000 + at);
    return { ...row, disabled: at % 10 === 0 };
  });
  for (let at = 0; at < MANY; at += 100) {
    const puts = rows.slice(at, at + 100).flatMap((row) => keyPuts(store, row));
    await store.commit({ puts, small: true });
  }
}

async function pageAt(gateway: Gateway, query: string): Promise<readonly string[]> {
  const { status, body } = await managed(gateway, { call: `GET /keys?${query}` });
  assert.equal(status, 200);
  return keyRecordSchema.array().parse(body.data).map(({ name }) => name);
}

async function everyPage(gateway: Gateway, query = ""): Promise<readonly string[]> {
  const names: string[] = [];
  for (let offset = 0;; offset += PAGE) {
    const page = await pageAt(gateway, `offset=${offset}&${query}`);
    names.push(...page);
    if (page.length < PAGE) return names;
  }
}

Deno.test("GET /keys that is read page by page reads each key about once, and a deep page little", async () => {
  const store = watched();
  await using gateway = await startGateway({ store });
  const { record } = await createKey(gateway, { name: "Newest" });
  await fill(gateway, record.workspace_id);
  const names = await everyPage(gateway);
  const enabled = Array.from({ length: MANY }, (_, at) => `Key ${MANY - 1 - at}`)
    .filter((_, at) => (MANY - 1 - at) % 10 !== 0);
  assert.deepEqual(names, ["Newest", "First API key", ...enabled]);
  const pages = Math.ceil(names.length / PAGE) + 1;
  // Each page begins up to 250 keys before its own, and the store is read by 200 and then by 1,000.
  assert(store.read() < pages * 1_300, `${store.read()} rows for ${pages} pages`);
  const before = store.read();
  await pageAt(gateway, `offset=${names.length - 50}`);
  assert(store.read() - before < 1_300, `${store.read() - before} rows for the last page`);
});

Deno.test("GET /keys has every key in its place after keys came, went and changed", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway, { name: "Newest" });
  await fill(gateway, record.workspace_id);
  const all = "include_disabled=true";
  const expected = (await everyPage(gateway, all)).slice();
  assert.equal(expected.length, MANY + 2);
  assert.equal((await everyPage(gateway)).length, MANY * 0.9 + 2);
  const hashes = new Map<string, string>();
  for (const offset of [0, 400, 1_200, 2_900]) {
    const { body } = await managed(gateway, { call: `GET /keys?${all}&offset=${offset}` });
    for (const { name, hash } of keyRecordSchema.array().parse(body.data)) hashes.set(name, hash);
  }
  const hashAt = (at: number) => hashes.get(expected[at] ?? "") ?? "";
  const change = async (call: string, body?: unknown) => {
    const { status, body: answer } = await managed(gateway, { call, body });
    assert(status < 300, JSON.stringify(answer));
    return asObject(answer.data ?? {});
  };
  await change(`DELETE /keys/${hashAt(405)}`);
  expected.splice(405, 1);
  assert.deepEqual(await pageAt(gateway, `${all}&offset=1000`), expected.slice(1_000, 1_100));
  await change("POST /keys", { name: "Another" });
  expected.unshift("Another");
  assert.deepEqual(await pageAt(gateway, `${all}&offset=2900`), expected.slice(2_900, 3_000));
  const off = await everyPage(gateway);
  const at = expected.findIndex((name, at) => at > 1_200 && off.includes(name));
  await change(`PATCH /keys/${hashAt(at)}`, { disabled: true });
  assert.deepEqual(await everyPage(gateway), off.filter((name) => name !== expected[at]));
  assert.deepEqual(await everyPage(gateway, all), expected);
});
