import assert from "node:assert/strict";
import { memoryClock } from "../../../tests/support/clock.ts";
import { bindStore } from "../../storage/stores/bound_store.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../storage/stores/store.ts";
import { KeyCache } from "./key_cache.ts";
import { keyCollection, type KeyRow, newKeyRow } from "./key_rows.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";

/** A store with one key a row, and a count of the keys it was asked for. */
async function stored(...changes: readonly (Partial<KeyRow> & { readonly token: string })[]) {
  const inner = memoryStore();
  for (const { token, ...change } of changes) {
    const row = { ...newKeyRow({ kind: "api", token, name: "k", workspaceId }, 0), ...change };
    await keyCollection(inner).create([row.hash], row);
  }
  const counts = { reads: 0 };
  const get: Store["get"] = (key) => {
    // Besides, the workspace is read: once for all of its keys.
    if (key[0] === "keys") counts.reads++;
    return inner.get(key);
  };
  return { counts, inner, store: { ...bindStore(inner), get } };
}

Deno.test("KeyCache.find asks the store once and answers at once from then on", async () => {
  const { store, counts } = await stored({ token: "one" });
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  const first = keyCache.find("one");
  assert.ok(first instanceof Promise);
  const caller = await first;
  assert.equal(caller?.kind, "api");
  assert.equal(caller?.workspaceId, workspaceId);
  assert.equal(keyCache.find("one"), caller);
  assert.equal(counts.reads, 1);
});

Deno.test("KeyCache.find asks once for a burst of one key", async () => {
  const { store, counts } = await stored({ token: "one" });
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  const found = await Promise.all(Array.from({ length: 50 }, () => keyCache.find("one")));
  assert.ok(found.every((caller) => caller?.kind === "api"));
  assert.equal(counts.reads, 1);
});

Deno.test("KeyCache.find asks twice for a burst of wrong keys with a good one among them", async () => {
  const { store, inner, counts } = await stored({ token: "one" });
  let together = 0;
  const getMany: Store["getMany"] = (keys) => {
    together++;
    return inner.getMany(keys);
  };
  const keyCache = new KeyCache({ store: { ...store, getMany }, clock: memoryClock() });
  const tokens = Array.from({ length: 50 }, (_, at) => at === 25 ? "one" : `wrong-${at}`);
  const found = await Promise.all(tokens.map((token) => keyCache.find(token)));
  assert.deepEqual(found.flatMap((caller, at) => caller ? [at] : []), [25]);
  assert.deepEqual([counts.reads, together], [1, 1]);
});

Deno.test("KeyCache.find knows nobody by a missing, unknown, over-long or hashed key", async () => {
  const { store, counts } = await stored({ token: "one" });
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  assert.equal(keyCache.find(""), undefined);
  assert.equal(keyCache.find("x".repeat(513)), undefined);
  assert.equal(counts.reads, 0);
  assert.equal(await keyCache.find("two"), undefined);
  assert.equal(keyCache.find("two"), undefined);
  assert.equal(counts.reads, 1);
  const [row] = await store.list(["keys"]);
  assert.equal(await keyCache.find(String(row?.key[1])), undefined);
});

Deno.test("KeyCache.find tells apart keys that share all but their last character", async () => {
  const long = "tg-api-" + "a".repeat(42);
  const { store } = await stored({ token: `${long}b` });
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  assert.ok(await keyCache.find(`${long}b`));
  assert.equal(await keyCache.find(`${long}c`), undefined);
});

Deno.test("KeyCache.find refuses disabled keys and expired ones at their moment", async () => {
  const clock = memoryClock();
  const expires_at = new Date(clock.now() + 1_000).toISOString();
  const { store } = await stored({ token: "off", disabled: true }, { token: "brief", expires_at });
  const keyCache = new KeyCache({ store, clock });
  assert.equal(await keyCache.find("off"), undefined);
  assert.ok(await keyCache.find("brief"));
  await clock.advance(999);
  assert.ok(keyCache.find("brief"));
  await clock.advance(1);
  assert.equal(keyCache.find("brief"), undefined);
});

Deno.test("KeyCache.find takes the kind from the record, and a client secret only with its client", async () => {
  const { store } = await stored(
    { token: "tg-api-looks-like-one", kind: "management" },
    { token: "secret", kind: "client", client_id: "c1" },
    { token: "orphan", kind: "client" },
  );
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  assert.equal((await keyCache.find("tg-api-looks-like-one"))?.kind, "management");
  const client = await keyCache.find("secret");
  assert.ok(client?.kind === "client" && client.clientId === "c1");
  assert.equal(await keyCache.find("orphan"), undefined);
});

Deno.test("KeyCache.changed makes the next request see the new record", async () => {
  const { store, inner } = await stored({ token: "one" });
  const keyCache = new KeyCache({ store, clock: memoryClock() });
  const caller = await keyCache.find("one");
  assert.equal(await keyCache.find("later"), undefined);
  await keyCollection(inner).update([caller?.keyHash ?? ""], (row) => ({ ...row, disabled: true }));
  const later = newKeyRow({ kind: "api", token: "later", name: "k", workspaceId }, 0);
  await keyCollection(inner).create([later.hash], later);
  assert.ok(keyCache.find("one"), "held until told");
  keyCache.changed(caller?.keyHash);
  keyCache.changed(later.hash);
  assert.equal(await keyCache.find("one"), undefined);
  assert.ok(await keyCache.find("later"));
  keyCache.changed();
  assert.ok(keyCache.find("later") instanceof Promise);
});

Deno.test("KeyCache remembers nothing that it read before a change", async () => {
  const { store, inner } = await stored({ token: "one" });
  let release = () => {};
  const gate = new Promise<void>((resolve) => release = resolve);
  const slow: Store = {
    ...store,
    get: async (key) => {
      const entry = await inner.get(key);
      await gate;
      return entry;
    },
  };
  const keyCache = new KeyCache({ store: slow, clock: memoryClock() });
  const requested = keyCache.find("one");
  await inner.commit({
    deletes: [["keys", newKeyRow({ kind: "api", token: "one", name: "k", workspaceId }, 0).hash]],
  });
  keyCache.changed();
  release();
  assert.ok(await requested, "it was valid when it was asked for");
  assert.equal(await keyCache.find("one"), undefined);
});

Deno.test("KeyCache.find refuses for a while when the store fails, and recovers, S1", async () => {
  const { store } = await stored({ token: "one" });
  let broken = true;
  const shaky: Store = {
    ...store,
    get: (key) => broken ? Promise.reject(new StoreError("timeout", "late")) : store.get(key),
  };
  const keyCache = new KeyCache({ store: shaky, clock: memoryClock() });
  await assert.rejects(async () => await keyCache.find("one"), { name: "ApiError", kind: "unavailable" });
  broken = false;
  assert.ok(await keyCache.find("one"));
});

Deno.test("KeyCache holds a bounded number of keys and of wrong ones", async () => {
  const tokens = Array.from({ length: 30 }, (_, at) => ({ token: `key-${at}` }));
  const { store, counts } = await stored(...tokens);
  const keyCache = new KeyCache({ store, clock: memoryClock(), maxKeys: 10, maxUnknown: 10 });
  for (const { token } of tokens) await keyCache.find(token);
  for (let at = 0; at < 100; at++) await keyCache.find(`wrong-${at}`);
  counts.reads = 0;
  await keyCache.find("key-29");
  assert.equal(counts.reads, 0, "wrong keys do not push out good ones");
  await keyCache.find("key-0");
  assert.equal(counts.reads, 1);
});
