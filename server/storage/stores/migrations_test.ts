import assert from "node:assert/strict";
import { fakeClock } from "../../../tests/support/clock.ts";
import { hasPostgres, sharedPostgres } from "../../../tests/support/postgres.ts";
import { addressOf } from "../../../tests/support/store_address.ts";
import { createClock } from "../../runtime.ts";
import { memoryStore } from "./memory_store.ts";
import { migrateStore } from "./commands/migrate_command.ts";
import { latestSchema, migrate, type Migration, migrations } from "./migrations.ts";
import { openEmbedded } from "./embedded/open_embedded.ts";
import { openPostgres } from "./postgres/open_postgres.ts";
import { IDENTITY_KEY } from "./store_identity.ts";
import { type Store, StoreError } from "./store.ts";

let tokens = 0;
const clock = fakeClock();
const runtime = { clock, randomToken: () => `instance-${tokens++}` };

/** Adds one to every number below `n`; may be stopped half-way, because what is done is a text. */
const words: Migration = {
  schema: 2,
  description: "numbers are words",
  run: async (store) => {
    for (const { key, value } of await store.list(["n"])) {
      if (typeof value === "number") await store.commit({ puts: [{ key, value: `number ${value}` }] });
    }
  },
};
const renamed: Migration = {
  schema: 3,
  description: "n is called m",
  run: async (store) => {
    for (const { key, value } of await store.list(["n"])) {
      await store.commit({ puts: [{ key: ["m", ...key.slice(1)], value }], deletes: [key] });
    }
  },
};
const list = [words, renamed];

async function fill(store: Store): Promise<void> {
  for (const at of [1, 2, 3]) await store.commit({ puts: [{ key: ["n", at], value: at }] });
}

async function migrated(store: Store): Promise<boolean> {
  const values = (await store.list(["m"])).map(({ value }) => value);
  return values.join() === "number 1,number 2,number 3" && (await store.list(["n"])).length === 0;
}

const fails = (words: RegExp) => (error: unknown) => error instanceof StoreError && words.test(error.message);

Deno.test("latestSchema counts the steps and takes none out of turn", () => {
  assert.equal(latestSchema(migrations), 1 + migrations.length);
  assert.equal(latestSchema(list), 3);
  assert.throws(() => latestSchema([renamed]), /leads to schema 3, not 2/);
});

Deno.test("migrate runs what a store lacks, and again where it was stopped", async () => {
  const store = memoryStore();
  await store.commit({ puts: [{ key: IDENTITY_KEY, value: { instance: "i", schema: 1, starts: 4 } }] });
  await fill(store);
  let stop = true;
  const stopped: Migration = {
    ...renamed,
    run: async (inner) => {
      if (stop) await inner.commit({ puts: [{ key: ["m", 1], value: "number 1" }], deletes: [["n", 1]] });
      if (stop) throw new Error("the power went");
      await renamed.run(inner);
    },
  };
  await assert.rejects(
    migrate(store, [words, stopped]),
    fails(/to schema 3 \(n is called m\): the power went/),
  );
  assert.deepEqual((await store.get(IDENTITY_KEY))?.value, { instance: "i", schema: 2, starts: 4 });
  stop = false;
  assert.equal((await migrate(store, [words, stopped])).length, 1);
  assert.ok(await migrated(store));
  assert.deepEqual(await migrate(store, [words, stopped]), []);
});

Deno.test("openEmbedded migrates an older store behind a copy, and refuses a newer one", async () => {
  const folder = await Deno.makeTempDir();
  const first = await openEmbedded(folder, { runtime, migrations: [] });
  await fill(first);
  await first.close();
  const second = await openEmbedded(folder, { runtime, migrations: list });
  assert.ok(await migrated(second));
  await second.close();
  await (await openEmbedded(folder, { runtime, migrations: list })).close();
  const copies = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.includes(".schema-")
  );
  assert.deepEqual(copies, ["kv.sqlite3.schema-1-20260114-120000"]);
  const kept = await Deno.openKv(`${folder}/${copies[0]}`);
  assert.equal((await kept.get(["n", 1])).value, "1");
  kept.close();
  await assert.rejects(
    openEmbedded(folder, { runtime, migrations: [words] }),
    fails(/was written by a newer Tollgate/),
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("migrateStore tries the steps on a copy first, and then for good (embedded)", async () => {
  const folder = await Deno.makeTempDir();
  const place = { type: "embedded", folder } as const;
  const first = await openEmbedded(folder, { runtime, migrations: [] });
  await fill(first);
  const dry = { migrations: list, clock, dryRun: true };
  await assert.rejects(migrateStore(place, dry), fails(/in use by another Tollgate/));
  await first.close();
  assert.equal((await migrateStore(place, { ...dry, migrations: [] })).text, NOTHING);
  assert.equal(
    (await migrateStore(place, dry)).text,
    "The store has schema 1 and would get schema 3 (2: numbers are words; 3: n is called m). 9 writes.",
  );
  assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("dry")), []);
  const { text: words, fields } = await migrateStore(place, { ...dry, dryRun: false });
  assert.deepEqual(
    [fields.schema_before, fields.schema_after, fields.steps, fields.writes, fields.dry_run],
    [1, 3, 2, 9, false],
  );
  assert.match(words, /has schema 3 now .* 9 writes\. Its state before is kept in .*\.schema-1-/);
  const last = await openEmbedded(folder, { runtime, migrations: list });
  assert.ok(await migrated(last));
  await last.close();
  await Deno.remove(folder, { recursive: true });
});

const NOTHING = "The store has schema 1, which is what this Tollgate needs: nothing to do.";

Deno.test({
  name: "migrateStore migrates a shared store behind a copy, when no gateway runs",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const server = await sharedPostgres();
    const address = addressOf(await server.createDatabase());
    const place = { type: "postgres", address, folder: "" } as const;
    const real = { runtime: { ...runtime, clock: createClock() } };
    const options = { migrations: list, clock, dryRun: false };
    const first = await openPostgres(address, { ...real, migrations: [] });
    await fill(first);
    await assert.rejects(migrateStore(place, options), fails(/in use by a running Tollgate/));
    for (const dryRun of [false, true]) {
      assert.equal((await migrateStore(place, { ...options, migrations: [], dryRun })).text, NOTHING);
    }
    await first.close();
    await assert.rejects(
      openPostgres(address, { ...real, migrations: list }),
      fails(/has schema 1 and this Tollgate needs 3: stop every gateway/),
    );
    assert.match((await migrateStore(place, { ...options, dryRun: true })).text, /would get schema 3/);
    assert.match(
      (await migrateStore(place, options)).text,
      /has schema 3 now.* table tollgate\.records_schema_1_20260114_120000/,
    );
    const kept = "select count(*) from tollgate.records_schema_1_20260114_120000";
    assert.ok(Number(await server.query(kept, address.database)) >= 4);
    const last = await openPostgres(address, { ...real, migrations: list });
    assert.ok(await migrated(last));
    await last.close();
    await assert.rejects(
      openPostgres(address, { ...real, migrations: [words] }),
      fails(/was written by a newer Tollgate/),
    );
  },
});
