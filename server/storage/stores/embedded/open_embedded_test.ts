import assert from "node:assert/strict";
import { backup, DatabaseSync } from "node:sqlite";
import { fakeClock } from "../../../../tests/support/clock.ts";
import { compactEmbedded, copyBeforeMigration } from "./backup.ts";
import { restoreStore } from "../commands/store_commands.ts";
import { migrateStore } from "../commands/migrate_command.ts";
import { migrations } from "../migrations.ts";
import { openEmbedded } from "./open_embedded.ts";
import { StoreError, type StoreErrorKind } from "../store.ts";

let tokens = 0;
const runtime = () => ({ clock: fakeClock(), randomToken: () => `instance-${tokens++}` });

interface Data {
  readonly folder: string;
  readonly file: string;
  readonly mirror: string;
  /** Opens and closes the store once, and leaves one record in it. */
  readonly start: () => Promise<void>;
  /** Expects that a start fails so. */
  readonly fails: (kind: StoreErrorKind, words: RegExp) => Promise<void>;
}

async function withData(run: (data: Data) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const start = async () => {
    const store = await openEmbedded(folder, { runtime: runtime() });
    await store.commit({ puts: [{ key: ["record"], value: 1 }] });
    await store.close();
  };
  const fails = (kind: StoreErrorKind, words: RegExp) =>
    assert.rejects(start, (error) => {
      assert.ok(error instanceof StoreError, String(error));
      assert.equal(error.kind, kind);
      assert.match(error.message, words);
      return true;
    });
  try {
    await run({ folder, file: `${folder}/kv.sqlite3`, mirror: `${folder}/store.json`, start, fails });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs `hold_store.ts` on the folder; resolves with its first line, and ends it when `use` is over. */
async function withChild(folder: string, use: (line: string, kill: () => Promise<void>) => Promise<void>) {
  const script = new URL("../../../../tests/support/hold_store.ts", import.meta.url).pathname;
  const config = new URL("../../../../tests/deno.json", import.meta.url).pathname;
  const args = ["run", "--no-check", "--config", config, "--allow-read", "--allow-write", script, folder];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "inherit" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await child.status;
  };
  try {
    await use(new TextDecoder().decode(value).trim(), kill);
  } finally {
    await kill();
    await reader.cancel();
  }
}

/** A consistent copy beside the file, as a backup makes it. */
async function copyOf(file: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true });
  await backup(source, `${file}.copy`);
  source.close();
}

const modesIn = (folder: string) =>
  Object.fromEntries(
    [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("kv.sqlite3")).map(({ name }) =>
      [name, ((Deno.statSync(`${folder}/${name}`).mode ?? 0) & 0o777).toString(8)] as const
    ),
  );

Deno.test({
  name: "openEmbedded makes the store's files their owner's alone, also those that are there",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withData(async ({ folder, file, start }) => {
      for (const mode of [undefined, 0o644, 0o666]) {
        if (mode !== undefined) Deno.chmodSync(file, mode);
        const store = await openEmbedded(folder, { runtime: runtime() });
        await store.commit({ puts: [{ key: ["record"], value: 1 }] });
        assert.deepEqual(modesIn(folder), {
          "kv.sqlite3": "600",
          "kv.sqlite3-wal": "600",
          "kv.sqlite3-shm": "600",
        });
        await store.close();
      }
      await start();
      compactEmbedded(folder);
      await copyBeforeMigration(folder, { schema: 1, clock: fakeClock() });
      assert.deepEqual(new Set(Object.values(modesIn(folder))), new Set(["600"]), "and so are copies of it");
    }),
});

Deno.test("openEmbedded makes the folder and opens the same store again", async () => {
  await withData(async ({ folder }) => {
    const inner = `${folder}/a/b`;
    const first = await openEmbedded(inner, { runtime: runtime() });
    await first.commit({ puts: [{ key: ["record"], value: 1 }] });
    await first.close();
    const second = await openEmbedded(inner, { runtime: runtime() });
    assert.equal((await second.get(["record"]))?.value, 1);
    await second.close();
  });
});

Deno.test("openEmbedded refuses a folder that this process holds already, S5", async () => {
  await withData(async ({ folder, fails, start }) => {
    const store = await openEmbedded(folder, { runtime: runtime() });
    await fails("in_use", /is in use by another Tollgate/);
    await store.close();
    await start();
  });
});

Deno.test("openEmbedded keeps a second process out until the first is killed, S5", async () => {
  await withData(async ({ folder, fails, start }) => {
    await withChild(folder, async (line, kill) => {
      assert.equal(line, "open");
      await fails("in_use", /is in use by another Tollgate/);
      await kill();
      await start();
    });
  });
});

Deno.test("openEmbedded notices that the write-ahead log was lost after a crash, S3", async () => {
  await withData(async ({ folder, file, start, fails }) => {
    await start();
    await withChild(folder, async (line, kill) => {
      assert.equal(line, "open");
      await kill();
      await Deno.remove(`${file}-wal`);
      await fails("lost", /is older than at the last start \(start 1 of 2\)/);
    });
  });
});

Deno.test("openEmbedded says so in the second process too, S5", async () => {
  await withData(async ({ folder }) => {
    const store = await openEmbedded(folder, { runtime: runtime() });
    await withChild(folder, (line) => {
      assert.match(line, /is in use by another Tollgate/);
      return Promise.resolve();
    });
    await store.close();
  });
});

Deno.test("openEmbedded notices a store that was emptied, replaced or removed, S3", async () => {
  const cases: Readonly<Record<string, (file: string) => Promise<void>>> = {
    emptied: (file) => Deno.truncate(file),
    unlinked: (file) => Deno.remove(file),
    "replaced by an empty store": async (file) => {
      await Deno.remove(file);
      (await Deno.openKv(file)).close();
    },
  };
  for (const [name, harm] of Object.entries(cases)) {
    await withData(async ({ file, start, fails }) => {
      await start();
      await harm(file);
      await fails("lost", /is empty or new, but it held a store at the last start/);
      await fails("lost", /remove .*store\.json and start again/);
      assert.ok(name);
    });
  }
});

Deno.test("openEmbedded notices a copy that was made since the last start and put back, S3", async () => {
  await withData(async ({ folder, file, mirror, start, fails }) => {
    await start();
    const store = await openEmbedded(folder, { runtime: runtime() });
    await store.commit({ puts: [{ key: ["record"], value: 2 }] });
    await copyOf(file);
    await store.commit({ puts: [{ key: ["record"], value: 3 }] });
    await store.close();
    await Deno.rename(`${file}.copy`, file);
    await fails("lost", /lacks commits that it had acknowledged.*remove .*store\.json/);
    await Deno.remove(mirror);
    await start();
  });
});

Deno.test("openEmbedded writes down now and then what it has acknowledged", async () => {
  await withData(async ({ folder, mirror }) => {
    const clock = fakeClock();
    const store = await openEmbedded(folder, { runtime: { ...runtime(), clock } });
    const latest = async () => BigInt(JSON.parse(await Deno.readTextFile(mirror)).latest);
    const first = await latest();
    await store.commit({ puts: [{ key: ["record"], value: 1 }] });
    assert.equal(await latest(), first);
    clock.leap(10_000);
    await store.commit({ puts: [{ key: ["record"], value: 2 }] });
    const second = await latest();
    assert.ok(second > first);
    await store.commit({ puts: [{ key: ["record"], value: 3 }] });
    assert.equal(await latest(), second);
    await store.close();
    assert.ok(await latest() > second);
  });
});

Deno.test("openEmbedded takes a commit as done although its note could not be written", async () => {
  await withData(async ({ folder, mirror }) => {
    const clock = fakeClock();
    const store = await openEmbedded(folder, { runtime: { ...runtime(), clock } });
    await Deno.mkdir(`${mirror}.new`);
    clock.leap(10_000);
    assert.equal((await store.commit({ puts: [{ key: ["record"], value: 1 }] })).type, "ok");
    const health = await store.health();
    assert.match(health.ok ? "" : health.reason, /Cannot write .*store\.json/);
    await store.close();
  });
});

Deno.test("openEmbedded notices another store in the same place, S3", async () => {
  await withData(async (other) => {
    await other.start();
    await withData(async ({ file, mirror, start, fails }) => {
      await start();
      await Deno.copyFile(other.file, file);
      await fails("lost", /is another store than at the last start/);
      await Deno.remove(mirror);
      await start();
      await start();
    });
  });
});

Deno.test("openEmbedded notices an older copy of the store, S3", async () => {
  await withData(async ({ folder, file, mirror, start, fails }) => {
    await start();
    await Deno.copyFile(file, `${folder}/backup`);
    await start();
    await start();
    await Deno.copyFile(`${folder}/backup`, file);
    await fails("lost", /is older than at the last start \(start 1 of 3\)/);
    await Deno.remove(mirror);
    await start();
  });
});

Deno.test("openEmbedded takes a store that is ahead of its mirror: a start was cut short", async () => {
  await withData(async ({ mirror, start }) => {
    await start();
    const old = await Deno.readTextFile(mirror);
    await start();
    await Deno.writeTextFile(mirror, old);
    await start();
  });
});

Deno.test("openEmbedded refuses a damaged file and leaves it as it is, S4", async () => {
  const cases: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    "random bytes": () => new Uint8Array(8_192).fill(7),
    "cut short": (bytes) => bytes.slice(0, 5_000),
    "overwritten pages": (bytes) => bytes.slice().fill(255, 4_096),
  };
  for (const [name, harm] of Object.entries(cases)) {
    await withData(async ({ file, start, fails }) => {
      await start();
      const harmed = harm(await Deno.readFile(file));
      await Deno.writeFile(file, harmed);
      await fails("corrupt", /is damaged: restore it from a backup/);
      assert.deepEqual(await Deno.readFile(file), harmed, name);
    });
  }
});

Deno.test("openEmbedded refuses a damaged mirror, somebody else's database and a newer schema", async () => {
  await withData(async ({ mirror, start, fails }) => {
    await start();
    await Deno.writeTextFile(mirror, "{");
    await fails("corrupt", /store\.json is damaged/);
  });
  await withData(async ({ file, fails }) => {
    const kv = await Deno.openKv(file);
    await kv.set(["theirs"], 1);
    kv.close();
    await fails("corrupt", /is no store of Tollgate's/);
  });
  await withData(async ({ file, start, fails }) => {
    await start();
    const kv = await Deno.openKv(file);
    await kv.set(["meta", "store"], JSON.stringify({ instance: "a", schema: 99, starts: 1 }));
    kv.close();
    await fails("corrupt", /was written by a newer Tollgate/);
    const again = await Deno.openKv(file);
    await again.set(["meta", "store"], "{}");
    again.close();
    await fails("corrupt", /mark is damaged/);
  });
});

Deno.test("openEmbedded refuses a store of before the first release, and restoreStore its backup", async () => {
  await withData(async ({ folder, file, start, fails }) => {
    await start();
    await Deno.remove(`${folder}/store.json`);
    const kv = await Deno.openKv(file);
    await kv.set(["meta", "store"], JSON.stringify({ instance: "a", schema: 2, starts: 1 }));
    kv.close();
    await fails("corrupt", /kv\.sqlite3 was written by an earlier build.*start with an empty TOLLGATE_DATA/);
    await Deno.copyFile(file, `${folder}/backup`);
    const clock = fakeClock();
    const place = { type: "embedded", folder } as const;
    const old = /was written by an earlier build/;
    await assert.rejects(restoreStore(place, { file: `${folder}/backup`, yes: true, clock }), old);
    await assert.rejects(migrateStore(place, { migrations, clock, dryRun: false }), old);
    const files = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.ok(!files.some((name) => name.includes("schema-")), `no copy was made: ${files.join()}`);
  });
});

Deno.test("openEmbedded says what is wrong with a folder that cannot be made", async () => {
  await withData(async ({ folder }) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(
      openEmbedded(`${folder}/file/below`, { runtime: runtime() }),
      /Cannot make the data folder .*TOLLGATE_DATA/,
    );
  });
});

Deno.test("health sees that the files were removed, replaced or emptied while the gateway runs, S3", async () => {
  const cases: readonly (readonly [RegExp, (file: string) => Promise<unknown>])[] = [
    [/kv\.sqlite3 was removed/, (file) => Deno.remove(file)],
    [/kv\.sqlite3-wal was removed/, (file) => Deno.remove(`${file}-wal`)],
    [/kv\.sqlite3 was replaced/, async (file) => {
      await Deno.copyFile(file, `${file}.copy`);
      await Deno.rename(`${file}.copy`, file);
    }],
    [/kv\.sqlite3 was emptied/, (file) => Deno.truncate(file)],
  ];
  for (const [words, harm] of cases) {
    await withData(async ({ folder, file }) => {
      const clock = fakeClock();
      const store = await openEmbedded(folder, { runtime: { ...runtime(), clock } });
      assert.deepEqual(await store.health(), { ok: true });
      await harm(file);
      assert.deepEqual(await store.health(), { ok: true }, "asked again within a second");
      clock.leap(1_001);
      const health = await store.health();
      assert.match(health.ok ? "" : health.reason, words);
      await store.close();
    });
  }
});

Deno.test("health writes for real", async () => {
  await withData(async ({ folder, file }) => {
    const store = await openEmbedded(folder, { runtime: runtime() });
    const other = new DatabaseSync(file);
    other.exec("drop table kv");
    const health = await store.health();
    assert.match(health.ok ? "" : health.reason, /no such table/);
    other.close();
    await store.close();
  });
});
