/** One contract, run against every store. */

import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import { tickingClock } from "../../../tests/support/ticking_clock.ts";
import { hasPostgres, sharedPostgres } from "../../../tests/support/postgres.ts";
import { addressOf } from "../../../tests/support/store_address.ts";
import { until } from "../../../tests/support/until.ts";
import { MAX_VALUE_BYTES } from "./encode_value.ts";
import { denoKvStore } from "./embedded/deno_kv_store.ts";
import { memoryStore } from "./memory_store.ts";
import { openEmbedded } from "./embedded/open_embedded.ts";
import { postgresStore } from "./postgres/postgres_store.ts";
import { postgresClient } from "./postgres/postgres_client.ts";
import { setUpPostgres } from "./postgres/setup.ts";
import { type Store, StoreError, type StoreErrorKind, type StoreKey } from "./store.ts";

let tokens = 0;
const randomToken = () => `token-${tokens++}`;

interface Opened {
  readonly store: Store;
  readonly done: () => Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: () => {
    const store = memoryStore();
    return Promise.resolve({ store, done: () => store.close() });
  },
  "Deno KV in memory": async () => {
    const store = denoKvStore({ kv: await Deno.openKv(":memory:"), clock: fakeClock() });
    return { store, done: () => store.close() };
  },
  "Deno KV in a file": async () => {
    const folder = await Deno.makeTempDir();
    const store = await openEmbedded(folder, { runtime: { clock: fakeClock(), randomToken } });
    const done = async () => {
      await store.close();
      await Deno.remove(folder, { recursive: true });
    };
    return { store, done };
  },
  PostgreSQL: async () => {
    const address = addressOf(await (await sharedPostgres()).createDatabase());
    const session = await postgresClient(address, { statementMs: 2_000, connections: 1 });
    await setUpPostgres(session);
    await session.end();
    const sql = await postgresClient(address, { statementMs: 2_000, connections: 4 });
    const store = postgresStore({ sql, clock: fakeClock() });
    return { store, done: () => store.close() };
  },
};

const withPostgres = hasPostgres();

/** Runs one test against every store. */
function contract(name: string, run: (store: Store) => Promise<void>): void {
  for (const [kind, open] of Object.entries(stores)) {
    const fn = async () => {
      const { store, done } = await open();
      try {
        await run(store);
      } finally {
        await done();
      }
    };
    Deno.test({ name: `store ${name} (${kind})`, ignore: kind === "PostgreSQL" && !withPostgres, fn });
  }
}

async function put(...[store, key, value]: readonly [Store, StoreKey, unknown]): Promise<string> {
  const result = await store.commit({ puts: [{ key, value }] });
  assert.equal(result.type, "ok");
  return result.type === "ok" ? result.version : "";
}

async function idsOf(entries: Promise<readonly { readonly key: StoreKey }[]>): Promise<unknown[]> {
  return (await entries).map(({ key }) => key.at(-1));
}

/** A value of about `bytes` bytes, different for every seed. */
function large(bytes: number, seed = "x") {
  return { seed, text: seed.repeat(Math.floor(bytes / seed.length)) };
}

function rejects(work: () => Promise<unknown>, kind: StoreErrorKind): Promise<void> {
  return assert.rejects(work, (error) => error instanceof StoreError && error.kind === kind);
}

contract("gives back what was put", async (store) => {
  const values = [
    1,
    -0.5,
    "text",
    "",
    true,
    null,
    [],
    {},
    { deep: [{ é: "🦊", "__proto__x": 1 }] },
    "\ud800\u0000",
  ];
  for (const [at, value] of values.entries()) await put(store, ["a", at], value);
  for (const [at, value] of values.entries()) assert.deepEqual((await store.get(["a", at]))?.value, value);
  assert.equal(await store.get(["a", "absent"]), undefined);
});

contract("keeps bytes and leaves undefined fields out", async (store) => {
  await put(store, ["a", "bytes"], Uint8Array.of(0, 255, 7));
  await put(store, ["a", "fields"], { kept: null, dropped: undefined });
  assert.deepEqual((await store.get(["a", "bytes"]))?.value, Uint8Array.of(0, 255, 7));
  assert.deepEqual((await store.get(["a", "fields"]))?.value, { kept: null });
});

contract("hands out copies", async (store) => {
  const value = { list: [1] };
  await put(store, ["a"], value);
  value.list.push(2);
  assert.deepEqual((await store.get(["a"]))?.value, { list: [1] });
});

contract("reads many in the order of the keys asked for", async (store) => {
  const keys = Array.from({ length: 25 }, (_, at) => ["a", at]);
  for (const key of keys.slice(0, 20)) await put(store, key, key[1]);
  const found = await store.getMany(keys.toReversed());
  assert.deepEqual(found.map((entry) => entry?.value), [
    ...Array(5).fill(undefined),
    ...keys.slice(0, 20).map(([, at]) => at).toReversed(),
  ]);
});

contract("lists in the order of keys, strings before numbers", async (store) => {
  const parts = ["", "a", "a\u0000", "ab", "b", "é", "\uffee", "🦊", -10, -0.5, 0, 9, 10, 1e21];
  for (const part of parts.toReversed()) await put(store, ["l", part], 1);
  await put(store, ["k"], 1);
  await put(store, ["l"], 1);
  await put(store, ["m"], 1);
  assert.deepEqual(await idsOf(store.list(["l"])), parts);
  assert.deepEqual(await idsOf(store.list(["l"], { reverse: true })), parts.toReversed());
});

contract("pages through a list in both directions", async (store) => {
  for (let at = 0; at < 10; at++) await put(store, ["l", at], at);
  await put(store, ["l", 3, "below"], "child");
  assert.deepEqual(await idsOf(store.list(["l"], { limit: 3 })), [0, 1, 2]);
  assert.deepEqual(await idsOf(store.list(["l"], { limit: 3, after: ["l", 2] })), [3, "below", 4]);
  assert.deepEqual(await idsOf(store.list(["l"], { after: ["l", 3] })), ["below", 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(await idsOf(store.list(["l"], { after: ["l", 3, "below"], reverse: true })), [3, 2, 1, 0]);
  assert.deepEqual(await idsOf(store.list(["l"], { after: ["l", 3], reverse: true, limit: 2 })), [2, 1]);
  assert.deepEqual(await idsOf(store.list(["l", 3])), ["below"]);
  assert.deepEqual(await store.list(["l"], { after: ["l", 9] }), []);
});

contract("refuses lists that cannot be", async (store) => {
  await rejects(() => store.list([]), "invalid");
  await rejects(() => store.list(["a"], { limit: 0 }), "invalid");
  await rejects(() => store.list(["a"], { limit: 1_001 }), "invalid");
  await rejects(() => store.list(["a"], { after: ["b", 1] }), "invalid");
});

contract("commits only while every check holds", async (store) => {
  const version = await put(store, ["a"], 1);
  const absent = { key: ["b"], version: null };
  const stale = await store.commit({
    checks: [{ key: ["a"], version: null }, absent],
    puts: [{ key: ["b"], value: 1 }],
  });
  assert.equal(stale.type, "conflict");
  assert.equal(await store.get(["b"]), undefined);
  const good = await store.commit({
    checks: [{ key: ["a"], version }, absent],
    puts: [{ key: ["a"], value: 2 }, { key: ["b"], value: 2 }],
  });
  assert.equal(good.type, "ok");
  assert.notEqual(good.type === "ok" && good.version, version);
  assert.equal((await store.get(["b"]))?.version, good.type === "ok" && good.version);
});

contract("says conflict for a deleted and a made-up version", async (store) => {
  const version = await put(store, ["a"], 1);
  await store.commit({ deletes: [["a"], ["never there"]] });
  assert.equal(
    (await store.commit({ checks: [{ key: ["a"], version }], puts: [{ key: ["a"], value: 2 }] })).type,
    "conflict",
  );
  assert.equal(await store.get(["a"]), undefined);
});

contract("keeps large values whole", async (store) => {
  for (const value of [large(59_900), large(61_000), large(300_000, "é🦊"), large(MAX_VALUE_BYTES - 100)]) {
    await put(store, ["big"], value);
    assert.deepEqual((await store.get(["big"]))?.value, value);
    assert.deepEqual((await store.list(["big", "none"])).length, 0);
  }
  const bytes = new Uint8Array(200_000).map((_, at) => at * 31);
  await put(store, ["big"], bytes);
  assert.deepEqual((await store.get(["big"]))?.value, bytes);
  await put(store, ["big"], "small again");
  assert.equal((await store.get(["big"]))?.value, "small again");
});

contract("lists and deletes large values", async (store) => {
  await put(store, ["l", 1], large(100_000));
  await put(store, ["l", 2], 2);
  assert.deepEqual((await store.list(["l"])).map(({ value }) => value), [large(100_000), 2]);
  await store.commit({ deletes: [["l", 1]] });
  assert.deepEqual(await idsOf(store.list(["l"])), [2]);
});

contract("refuses what is too large and leaves nothing behind", async (store) => {
  const put = (value: unknown, small?: boolean) => () =>
    store.commit({ puts: [{ key: ["ok"], value: 1 }, { key: ["big"], value }], small });
  await rejects(put(large(MAX_VALUE_BYTES + 1)), "too_large");
  await rejects(put(new Uint8Array(MAX_VALUE_BYTES + 1)), "too_large");
  await rejects(put(large(61_000), true), "too_large");
  await rejects(() => store.get(["k".repeat(2_001)]), "too_large");
  const many = Array.from({ length: 20 }, (_, at) => ({ key: ["m", at], value: large(50_000) }));
  await rejects(() => store.commit({ puts: many }), "too_large");
  const rows = Array.from({ length: 1_001 }, (_, at) => ({ key: ["m", at], value: 1 }));
  await rejects(() => store.commit({ puts: rows, small: true }), "too_large");
  const checks = Array.from({ length: 101 }, (_, at) => ({ key: ["m", at], version: null }));
  await rejects(() => store.commit({ checks, small: true }), "too_large");
  await rejects(() => store.commit({ puts: rows.slice(0, 101) }), "too_large");
  const keys = Array.from({ length: 60 }, (_, at) => ({ key: ["m", "k".repeat(1_900), at], value: 1 }));
  await rejects(() => store.commit({ puts: keys, small: true }), "too_large");
  assert.equal(await store.get(["ok"]), undefined);
  assert.deepEqual(await store.list(["m"]), []);
});

contract("takes small values beside large ones, and no large value for a small one", async (store) => {
  const puts = (value: unknown) => [
    { key: ["large"], value: large(70_000) },
    { key: ["shared"], value, small: true as const },
  ];
  await rejects(() => store.commit({ puts: puts(large(61_000)) }), "too_large");
  const commits = Array.from({ length: 20 }, (_, at) => store.commit({ puts: puts(at).slice(1) }));
  assert((await Promise.all(commits)).every(({ type }) => type === "ok"));
  assert.equal((await store.commit({ puts: puts("last") })).type, "ok");
  assert.equal((await store.get(["shared"]))?.value, "last");
});

contract("takes a full commit of small values", async (store) => {
  const puts = Array.from({ length: 1_000 }, (_, at) => ({ key: ["m", at], value: "v".repeat(700) }));
  assert.equal((await store.commit({ puts, small: true })).type, "ok");
  assert.equal((await store.list(["m"], { limit: 1_000 })).length, 1_000);
  assert.equal((await store.commit({ deletes: puts.map(({ key }) => key), small: true })).type, "ok");
  assert.equal((await store.list(["m"])).length, 0);
});

contract("refuses keys and values that no store could keep", async (store) => {
  const keys: readonly StoreKey[] = [[], [1], ["~own"], ["a", NaN], ["a", -0], ["a", Infinity], [
    "a",
    "\ud800",
  ]];
  for (const key of keys) {
    await rejects(() => store.get(key), "invalid");
    await rejects(() => store.commit({ puts: [{ key, value: 1 }] }), "invalid");
  }
  const circular: { self?: unknown } = {};
  circular.self = circular;
  for (const value of [undefined, () => 1, 1n, circular]) {
    await rejects(() => store.commit({ puts: [{ key: ["a"], value }] }), "invalid");
  }
  await rejects(() => store.commit({ puts: [{ key: ["a"], value: 1 }], deletes: [["a"]] }), "invalid");
});

contract("loses no update of many at once", async (store) => {
  await put(store, ["n"], 0);
  const increment = async () => {
    for (;;) {
      const entry = await store.get(["n"]);
      assert.ok(entry && typeof entry.value === "number");
      const checks = [{ key: ["n"], version: entry.version }];
      const result = await store.commit({ checks, puts: [{ key: ["n"], value: entry.value + 1 }] });
      if (result.type === "ok") return;
    }
  };
  await Promise.all(Array.from({ length: 20 }, increment));
  assert.equal((await store.get(["n"]))?.value, 20);
});

contract("never shows a mixture of two large values", async (store) => {
  await put(store, ["big"], large(130_000, "0"));
  let writing = true;
  const write = async () => {
    for (let round = 1; round < 12; round++) {
      await put(store, ["big"], large(100_000 + round * 9_000, String(round)));
    }
    writing = false;
  };
  const read = async () => {
    while (writing) {
      const value = (await store.get(["big"]))?.value;
      assert.ok(typeof value === "object" && value !== null && "seed" in value && "text" in value);
      const { seed, text } = value;
      assert.ok(typeof seed === "string" && typeof text === "string");
      assert.equal(text, seed.repeat(text.length / seed.length));
    }
  };
  await Promise.all([write(), read(), read()]);
});

contract("announces the epochs and wishes that it commits, where it has signals", async (store) => {
  const heard: string[] = [];
  const unlisten = await store.listen?.((topic) => heard.push(topic));
  if (!unlisten) return;
  const version = await put(store, ["epochs", "keys"], 1);
  await store.commit({
    puts: [{ key: ["epochs", "keys"], value: 2 }, { key: ["wanted", "scope", 7], value: 1 }, {
      key: ["other"],
      value: 1,
    }],
  });
  await store.commit({
    checks: [{ key: ["epochs", "keys"], version }],
    puts: [{ key: ["epochs", "no"], value: 1 }],
  });
  await put(store, ["epochs", 'end "}\\ 🦊'], 1);
  await until(() => heard.some((topic) => topic.startsWith("epochs/end")), { what: "the last signal" });
  assert.deepEqual(heard, ["epochs/keys", "epochs/keys", "wanted/scope/7", 'epochs/end "}\\ 🦊']);
  await unlisten();
  await put(store, ["epochs", "keys"], 3);
  assert.equal(heard.length, 4);
});

contract("is healthy until it is closed", async (store) => {
  assert.deepEqual(await store.health(), { ok: true });
  await store.close();
  await store.close();
  await rejects(() => store.get(["a"]), "unavailable");
  await rejects(() => store.commit({ puts: [{ key: ["a"], value: 1 }] }), "unavailable");
});

Deno.test("denoKvStore leaves no pieces behind", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = denoKvStore({ kv, clock: tickingClock() });
  await put(store, ["a"], large(200_000));
  const [entry] = await store.list(["a", "x"]);
  assert.equal(entry, undefined);
  await put(store, ["a"], large(100_000));
  const found = await store.get(["a"]);
  await store.commit({
    checks: [{ key: ["a"], version: found?.version ?? null }],
    puts: [{ key: ["a"], value: large(70_000) }],
  });
  assert.equal((await Array.fromAsync(kv.list({ prefix: ["~pieces"] }))).length, 2);
  await Promise.all([1, 2, 3, 4].map((seed) => put(store, ["a"], large(70_000, String(seed)))));
  assert.equal((await Array.fromAsync(kv.list({ prefix: ["~pieces"] }))).length, 2);
  await store.commit({ deletes: [["a"]] });
  assert.equal((await Array.fromAsync(kv.list({ prefix: [] }))).length, 0);
  await store.close();
});
