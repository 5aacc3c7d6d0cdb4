import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import { boundStore } from "../../stores/bound_store.ts";
import { memoryStore } from "../../stores/memory_store.ts";
import { type Store, StoreError } from "../../stores/store.ts";
import { KeyRing } from "./key_cache.ts";
import { type KeyRow, keyRows, newKeyRow } from "./key_rows.ts";

const workspaceId = "0b7f0c9e-7f3a-4a57-9a86-6cf3a3f0a001";

/** A store with one key a row, and a count of the keys it was asked for. */
async function stored(...changes: readonly (Partial<KeyRow> & { readonly token: string })[]) {
  const inner = memoryStore();
  for (const { token, ...change } of changes) {
    const row = { ...newKeyRow({ kind: "api", token, name: "k", workspaceId }, 0), ...change };
    await keyRows(inner).create([row.hash], row);
  }
  const counts = { reads: 0 };
  const get: Store["get"] = (key) => {
    // Besides, the workspace is read: once for all of its keys.
    if (key[0] === "keys") counts.reads++;
    return inner.get(key);
  };
  return { counts, inner, store: { ...boundStore(inner), get } };
}

Deno.test("KeyRing.find asks the store once and answers at once from then on", async () => {
  const { store, counts } = await stored({ token: "one" });
  const ring = new KeyRing({ store, clock: fakeClock() });
  const first = ring.find("one");
  assert.ok(first instanceof Promise);
  const caller = await first;
  assert.equal(caller?.kind, "api");
  assert.equal(caller?.workspaceId, workspaceId);
  assert.equal(ring.find("one"), caller);
  assert.equal(counts.reads, 1);
});

Deno.test("KeyRing.find asks once for a burst of one key", async () => {
  const { store, counts } = await stored({ token: "one" });
  const ring = new KeyRing({ store, clock: fakeClock() });
  const found = await Promise.all(Array.from({ length: 50 }, () => ring.find("one")));
  assert.ok(found.every((caller) => caller?.kind === "api"));
  assert.equal(counts.reads, 1);
});

Deno.test("KeyRing.find asks twice for a burst of wrong keys with a good one among them", async () => {
  const { store, inner, counts } = await stored({ token: "one" });
  let together = 0;
  const getMany: Store["getMany"] = (keys) => {
    together++;
    return inner.getMany(keys);
  };
  const ring = new KeyRing({ store: { ...store, getMany }, clock: fakeClock() });
  const tokens = Array.from({ length: 50 }, (_, at) => at === 25 ? "one" : `wrong-${at}`);
  const found = await Promise.all(tokens.map((token) => ring.find(token)));
  assert.deepEqual(found.flatMap((caller, at) => caller ? [at] : []), [25]);
  assert.deepEqual([counts.reads, together], [1, 1]);
});

Deno.test("KeyRing.find knows nobody by a missing, unknown, over-long or hashed key", async () => {
  const { store, counts } = await stored({ token: "one" });
  const ring = new KeyRing({ store, clock: fakeClock() });
  assert.equal(ring.find(""), undefined);
  assert.equal(ring.find("x".repeat(513)), undefined);
  assert.equal(counts.reads, 0);
  assert.equal(await ring.find("two"), undefined);
  assert.equal(ring.find("two"), undefined);
  assert.equal(counts.reads, 1);
  const [row] = await store.list(["keys"]);
  assert.equal(await ring.find(String(row?.key[1])), undefined);
});

Deno.test("KeyRing.find tells apart keys that share all but their last character", async () => {
  const long = "tg-api-" + "a".repeat(42);
  const { store } = await stored({ token: `${long}b` });
  const ring = new KeyRing({ store, clock: fakeClock() });
  assert.ok(await ring.find(`${long}b`));
  assert.equal(await ring.find(`${long}c`), undefined);
});

Deno.test("KeyRing.find refuses disabled keys and expired ones at their moment", async () => {
  const clock = fakeClock();
  const expires_at = new Date(clock.now() + 1_000).toISOString();
  const { store } = await stored({ token: "off", disabled: true }, { token: "brief", expires_at });
  const ring = new KeyRing({ store, clock });
  assert.equal(await ring.find("off"), undefined);
  assert.ok(await ring.find("brief"));
  await clock.advance(999);
  assert.ok(ring.find("brief"));
  await clock.advance(1);
  assert.equal(ring.find("brief"), undefined);
});

Deno.test("KeyRing.find takes the kind from the record, and a client secret only with its client", async () => {
  const { store } = await stored(
    { token: "tg-api-looks-like-one", kind: "management" },
    { token: "secret", kind: "client", client_id: "c1" },
    { token: "orphan", kind: "client" },
  );
  const ring = new KeyRing({ store, clock: fakeClock() });
  assert.equal((await ring.find("tg-api-looks-like-one"))?.kind, "management");
  const client = await ring.find("secret");
  assert.ok(client?.kind === "client" && client.clientId === "c1");
  assert.equal(await ring.find("orphan"), undefined);
});

Deno.test("KeyRing.changed makes the next request see the new record", async () => {
  const { store, inner } = await stored({ token: "one" });
  const ring = new KeyRing({ store, clock: fakeClock() });
  const caller = await ring.find("one");
  assert.equal(await ring.find("later"), undefined);
  await keyRows(inner).update([caller?.keyHash ?? ""], (row) => ({ ...row, disabled: true }));
  const later = newKeyRow({ kind: "api", token: "later", name: "k", workspaceId }, 0);
  await keyRows(inner).create([later.hash], later);
  assert.ok(ring.find("one"), "held until told");
  ring.changed(caller?.keyHash);
  ring.changed(later.hash);
  assert.equal(await ring.find("one"), undefined);
  assert.ok(await ring.find("later"));
  ring.changed();
  assert.ok(ring.find("later") instanceof Promise);
});

Deno.test("KeyRing remembers nothing that it read before a change", async () => {
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
  const ring = new KeyRing({ store: slow, clock: fakeClock() });
  const asked = ring.find("one");
  await inner.commit({
    deletes: [["keys", newKeyRow({ kind: "api", token: "one", name: "k", workspaceId }, 0).hash]],
  });
  ring.changed();
  release();
  assert.ok(await asked, "it was valid when it was asked for");
  assert.equal(await ring.find("one"), undefined);
});

Deno.test("KeyRing.find refuses for a while when the store fails, and recovers, S1", async () => {
  const { store } = await stored({ token: "one" });
  let broken = true;
  const shaky: Store = {
    ...store,
    get: (key) => broken ? Promise.reject(new StoreError("timeout", "late")) : store.get(key),
  };
  const ring = new KeyRing({ store: shaky, clock: fakeClock() });
  await assert.rejects(async () => await ring.find("one"), { name: "Refusal", kind: "unavailable" });
  broken = false;
  assert.ok(await ring.find("one"));
});

Deno.test("KeyRing holds a bounded number of keys and of wrong ones", async () => {
  const tokens = Array.from({ length: 30 }, (_, at) => ({ token: `key-${at}` }));
  const { store, counts } = await stored(...tokens);
  const ring = new KeyRing({ store, clock: fakeClock(), maxKeys: 10, maxUnknown: 10 });
  for (const { token } of tokens) await ring.find(token);
  for (let at = 0; at < 100; at++) await ring.find(`wrong-${at}`);
  counts.reads = 0;
  await ring.find("key-29");
  assert.equal(counts.reads, 0, "wrong keys do not push out good ones");
  await ring.find("key-0");
  assert.equal(counts.reads, 1);
});
