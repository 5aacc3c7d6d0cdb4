import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fakeClock } from "../../../../tests/support/clock.ts";
import { hasPostgres, sharedPostgres } from "../../../../tests/support/postgres.ts";
import { addressOf } from "../../../../tests/support/store_address.ts";
import { createClock } from "../../../runtime.ts";
import { checkStore, type StoreCheck, type StoredEntries } from "./check_store.ts";
import { backupStore, compactStore, restoreStore } from "./store_commands.ts";
import { openEmbedded } from "../embedded/open_embedded.ts";
import { openPostgres } from "../postgres/open_postgres.ts";
import { versionNumber } from "../embedded/kv_version.ts";
import type { StoreLocation } from "../store_location.ts";
import { type Store, StoreError } from "../store.ts";

const clock = fakeClock();
let tokens = 0;
const runtime = { clock: createClock(), randomToken: () => `instance-${tokens++}` };

interface Kind {
  readonly name: string;
  readonly ignore: boolean;
  readonly place: (folder: string) => Promise<StoreLocation>;
}

const kinds: readonly Kind[] = [
  { name: "embedded", ignore: false, place: (folder) => Promise.resolve({ type: "embedded", folder }) },
  {
    name: "PostgreSQL",
    ignore: !hasPostgres(),
    place: async (folder) => {
      const address = addressOf(await (await sharedPostgres()).createDatabase());
      return { type: "postgres", folder, address };
    },
  },
];

interface Ground {
  readonly place: StoreLocation;
  /** A folder for backups. */
  readonly folder: string;
  readonly open: () => Promise<Store>;
}

/** Runs with each kind of store, of real connections and with the real clock, which ticks for a moment after. */
function test(name: string, run: (ground: Ground) => Promise<void>): void {
  for (const { name: kind, ignore, place: make } of kinds) {
    const fn = async () => {
      const folder = await Deno.makeTempDir();
      try {
        const place = await make(`${folder}/data`);
        const options = { runtime, folder: place.folder, deadlineMs: 5_000 };
        const open = () =>
          place.type === "embedded"
            ? openEmbedded(place.folder, options)
            : openPostgres(place.address, options);
        await run({ place, folder, open });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    };
    Deno.test({ name: `${name} (${kind})`, ignore, fn, sanitizeOps: false, sanitizeResources: false });
  }
}

const values = [
  "text \u0000 \ud800 🦊 \\ \" '",
  { deep: [null, 1.5] },
  "x".repeat(200_000),
  Uint8Array.of(0, 255, 7),
];

async function fill(store: Store): Promise<void> {
  for (const [at, value] of values.entries()) {
    await store.commit({ puts: [{ key: ["v", at, "a\0b"], value }] });
  }
  const puts = Array.from({ length: 900 }, (_, at) => ({ key: ["many", at], value: at }));
  await store.commit({ puts, small: true });
}

async function assertFilled(store: Store): Promise<void> {
  assert.deepEqual((await store.list(["v"])).map(({ value }) => value), values);
  assert.equal((await store.list(["many"], { limit: 1_000 })).length, 900);
}

const fails = (kind: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.match(error.message, words);
  assert.equal(error.kind, kind);
  return true;
};

test("restoreStore makes a data folder that is missing", async ({ place, folder, open }) => {
  // A database needs no folder.
  if (place.type !== "embedded") return;
  await (await open()).close();
  const file = `${folder}/backup`;
  await backupStore(place, { file, clock });
  const elsewhere = { ...place, folder: `${folder}/new/below` };
  assert.match((await restoreStore(elsewhere, { file, yes: false, clock })).text, /There was none before\./);
  assert((await Deno.stat(`${elsewhere.folder}/kv.sqlite3`)).isFile);
  const gone = { ...place, folder: `${folder}/other` };
  await assert.rejects(
    restoreStore(gone, { file: `${folder}/no`, yes: false, clock }),
    /Cannot restore .*: there is no such file/,
  );
  await assert.rejects(Deno.stat(gone.folder), Deno.errors.NotFound);
});

test("backupStore copies a store that serves, and restoreStore puts it back", async ({ place, folder, open }) => {
  const file = `${folder}/backup`;
  const store = await open();
  await fill(store);
  const { text: words } = await backupStore(place, { file, clock });
  assert.match(words, /\/backup \(\d+ bytes\)\. It does not contain the master key/);
  await store.commit({ deletes: [["v", 0, "a\0b"]], puts: [{ key: ["later"], value: 1 }] });
  await assert.rejects(restoreStore(place, { file, yes: true, clock }), fails("in_use", /in use/));
  await store.close();
  // Another start: the store is now ahead of its backup, and the mirror knows.
  await (await open()).close();
  await restoreStore(place, { file, yes: true, clock });
  const restored = await open();
  await assertFilled(restored);
  assert.equal(await restored.get(["later"]), undefined);
  await restored.close();
});

/** A version as the number that it stands for. */
const numberIn = ({ type }: StoreLocation, version: string) =>
  type === "embedded" ? versionNumber(version) : BigInt(version);

for (const lost of [false, true]) {
  const what = lost ? "that was lost with all that knew it" : "that went on after its backup";
  test(`restoreStore gives no version twice for a store ${what}`, async ({ place, folder, open }) => {
    const file = `${folder}/backup`;
    const store = await open();
    await fill(store);
    await backupStore(place, { file, clock });
    let newest = 0n;
    for (let at = 0; at < 20; at++) {
      const result = await store.commit({ puts: [{ key: ["later"], value: at }] });
      assert.equal(result.type, "ok");
      if (result.type === "ok") newest = numberIn(place, result.version);
    }
    await store.close();
    if (lost) {
      await Deno.remove(place.folder, { recursive: true });
      if (place.type === "embedded") await Deno.mkdir(place.folder);
      else await (await sharedPostgres()).query("drop schema tollgate cascade", place.address.database);
    }
    await restoreStore(place, { file, yes: true, clock });
    const restored = await open();
    const again = await restored.commit({ puts: [{ key: ["later"], value: 2 }] });
    assert.ok(again.type === "ok" && numberIn(place, again.version) > newest);
    const check = { key: ["many", 0], version: (await restored.get(["many", 0]))?.version ?? null };
    const checked = await restored.commit({ checks: [check], puts: [{ key: ["many", 0], value: 1 }] });
    assert.equal(checked.type, "ok", "what was restored can be checked as before");
    await restored.close();
    await (await open()).close();
  });
}

test("backupStore replaces no file, and restoreStore takes none that is damaged", async ({ place, folder, open }) => {
  const file = `${folder}/backup`;
  const store = await open();
  await fill(store);
  await store.close();
  await backupStore(place, { file, clock });
  await assert.rejects(backupStore(place, { file, clock }), fails("invalid", /backup: it is there already/));
  const { size, mode } = await Deno.stat(file);
  assert.equal((mode ?? 0) & 0o777, 0o600);
  await Deno.truncate(file, Math.floor(size * 0.6));
  await assert.rejects(
    restoreStore(place, { file, yes: true, clock }),
    fails("corrupt", /Cannot restore .*backup/),
  );
  await Deno.writeTextFile(file, "something else entirely, and long enough to be looked at\n");
  await assert.rejects(
    restoreStore(place, { file, yes: true, clock }),
    fails("corrupt", /Cannot restore .*backup/),
  );
  await assert.rejects(
    restoreStore(place, { file: `${folder}/absent`, yes: true, clock }),
    fails("unavailable", /Cannot restore .*absent/),
  );
  const left = await open();
  await assertFilled(left);
  await left.close();
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort().slice(0, 1), ["backup"]);
});

/** Reads two names of a store that `fill` has filled, and finds something. */
function checkOf(troubles: readonly string[]): StoreCheck {
  const run = async (entries: StoredEntries) => {
    const found = await Array.fromAsync(entries);
    assert.deepEqual(found.slice(900).map(({ value }) => value), values);
    return { read: `${found.length} entries`, troubles };
  };
  return { names: ["many", "v"], run };
}

test("backupStore reads the copy again, and says what is wrong with it", async ({ place, folder, open }) => {
  const store = await open();
  await fill(store);
  assert.match(
    (await backupStore(place, { file: `${folder}/sound`, clock, check: checkOf([]) })).text,
    /It was read again: 904 entries\.$/,
  );
  const bad = backupStore(place, { file: `${folder}/bad`, clock, check: checkOf(["one is bad"]) });
  await assert.rejects(
    bad,
    fails("corrupt", /The backup is .*But what it is a copy of is damaged: one is bad\.$/),
  );
  for (const name of ["sound", "bad"]) assert.ok((await Deno.stat(`${folder}/${name}`)).isFile);
  const { read } = await checkStore(place, { check: checkOf([]), clock });
  assert.equal(read, "904 entries", "of a store that serves");
  await store.close();
  await restoreStore(place, { file: `${folder}/sound`, yes: true, clock });
  assert.deepEqual(
    [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /-wal|-shm|checking/.test(name)),
    [],
  );
});

test("restoreStore fills a store that was lost", async ({ place, folder, open }) => {
  const file = `${folder}/backup`;
  const store = await open();
  await fill(store);
  await backupStore(place, { file, clock });
  await store.close();
  if (place.type === "embedded") await Deno.remove(`${place.folder}/kv.sqlite3`);
  else await (await sharedPostgres()).query("drop schema tollgate cascade", place.address.database);
  await assert.rejects(open(), fails("lost", /is empty or new/));
  await restoreStore(place, { file, yes: false, clock });
  const restored = await open();
  await assertFilled(restored);
  await restored.close();
});

test("compactStore gives room back, when no gateway runs", async ({ place, open }) => {
  const store = await open();
  for (let at = 0; at < 30; at++) {
    await store.commit({ puts: [{ key: ["big", at], value: "y".repeat(500_000) }] });
  }
  for (let at = 0; at < 30; at++) await store.commit({ deletes: [["big", at]] });
  await fill(store);
  await assert.rejects(compactStore(place), fails("in_use", /in use/));
  await store.close();
  const [, before = "0", after = "0"] =
    /had (\d+) bytes and has (\d+)/.exec((await compactStore(place)).text) ?? [];
  assert.ok(Number(after) > 0 && Number(after) < Number(before), `${before} → ${after}`);
  const again = await open();
  await assertFilled(again);
  await again.close();
});

Deno.test({
  name: "restoreStore keeps what is in a shared store unless told otherwise",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    const address = addressOf(await (await sharedPostgres()).createDatabase());
    const place = { type: "postgres", folder, address } as const;
    await (await openPostgres(address, { runtime, folder })).close();
    await backupStore(place, { file: `${folder}/b`, clock });
    const restore = restoreStore(place, { file: `${folder}/b`, yes: false, clock });
    await assert.rejects(restore, fails("invalid", /is not empty: say --yes/));
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("restoreStore keeps the embedded store that was there, and knows a foreign database", async () => {
  const folder = await Deno.makeTempDir();
  const place = { type: "embedded", folder } as const;
  const store = await openEmbedded(folder, { runtime: { ...runtime, clock } });
  await store.close();
  await backupStore(place, { file: `${folder}/b`, clock });
  const { text: words } = await restoreStore(place, { file: `${folder}/b`, yes: false, clock });
  assert.match(words, /What was there before is .*kv\.sqlite3\.before-20260114-120000/);
  const foreign = new DatabaseSync(`${folder}/foreign`);
  foreign.exec("create table t (a)");
  foreign.close();
  const file = `${folder}/foreign`;
  await assert.rejects(
    restoreStore(place, { file, yes: false, clock }),
    fails("corrupt", /no store of Tollgate's/),
  );
  await Deno.remove(folder, { recursive: true });
});
