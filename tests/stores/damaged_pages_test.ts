/** A damaged page of the embedded store's files ends the start in one sentence, wherever it is; nothing ends the process. */

import assert from "node:assert/strict";
import { assertReadable } from "../../server/storage/stores/embedded/check_file.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { StoreError } from "../../server/storage/stores/store.ts";
import { fakeClock } from "../support/clock.ts";

const PAGE = 4_096;
const runtime = () => ({ clock: fakeClock(), randomToken: () => "token" });

type Damage = (page: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const damages: Readonly<Record<string, Damage>> = {
  zeros: (page) => new Uint8Array(page.length),
  noise: (page) => page.map((_, at) => (at * 73 + 41) % 251),
  "noise behind a sound head": (page) => page.map((byte, at) => at < 16 ? byte : (at * 73 + 41) % 251),
  "another head": (page) => {
    const other = page.slice();
    other.fill(0xa5, 0, 8);
    return other;
  },
};

/** A folder with a store of some hundred records; `open`: copied while it is open, so that the newest stand in its log. */
async function withStore(open: boolean, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const copy = await Deno.makeTempDir();
  try {
    const store = await openEmbedded(folder, { runtime: runtime() });
    for (let at = 0; at < 60; at++) {
      const puts = [1, 2, 3].map((n) => ({ key: ["records", at, n], value: { text: "x".repeat(40 * at) } }));
      await store.commit({ puts, small: true });
    }
    if (!open) await store.close();
    await copyFolder(folder, copy);
    if (open) await store.close();
    await run(copy);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(copy, { recursive: true });
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(from)) {
    if (isFile && name !== "lock") await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly offset: number;
  readonly damage: Damage;
}

/** Runs on a copy of the folder with one page damaged. */
async function withDamage(
  { folder, ...place }: Place,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const other = await Deno.makeTempDir();
  try {
    await copyFolder(folder, other);
    const bytes = await Deno.readFile(`${other}/${place.file}`);
    const page = bytes.slice(place.offset, place.offset + PAGE);
    bytes.set(place.damage(page), place.offset);
    await Deno.writeFile(`${other}/${place.file}`, bytes);
    await run(other);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
}

/** Outcome of a start: everything can be read, or the store says that it is damaged or that something is lost. */
async function outcomeOf(folder: string): Promise<"read" | "refused"> {
  try {
    const store = await openEmbedded(folder, { runtime: runtime() });
    try {
      await store.list(["records"], { limit: 1_000 });
      return "read";
    } finally {
      await store.close();
    }
  } catch (error) {
    assert(error instanceof StoreError, String(error));
    assert(["corrupt", "lost"].includes(error.kind), `${error.kind}: ${error.message}`);
    return "refused";
  }
}

for (const [name, damage] of Object.entries(damages)) {
  Deno.test(`openEmbedded refuses a store with a damaged page, wherever it is (${name})`, async () => {
    await withStore(false, async (folder) => {
      const { size } = await Deno.stat(`${folder}/kv.sqlite3`);
      const outcomes = { read: 0, refused: 0 };
      for (let offset = 0; offset < size; offset += PAGE) {
        await withDamage({ folder, file: "kv.sqlite3", offset, damage }, async (other) => {
          outcomes[await outcomeOf(other)]++;
        });
      }
      // Pages that are in use nowhere do not matter, and text in which other text stands is as good as before.
      assert(outcomes.refused > 40 && outcomes.read <= outcomes.refused / 20, JSON.stringify(outcomes));
    });
  });

  Deno.test(`openEmbedded reads or refuses a store whose log is damaged (${name})`, async () => {
    await withStore(true, async (folder) => {
      const { size } = await Deno.stat(`${folder}/kv.sqlite3-wal`);
      const step = Math.max(PAGE, Math.ceil(size / 20));
      for (let offset = 0; offset < size; offset += step) {
        await withDamage({ folder, file: "kv.sqlite3-wal", offset, damage }, async (other) => {
          await outcomeOf(other);
        });
      }
    });
  });
}

Deno.test("assertReadable finds damage in what Deno reads by itself, in a file that is too large to be read whole", async () => {
  await withStore(false, async (folder) => {
    const { size } = await Deno.stat(`${folder}/kv.sqlite3`);
    let refused = 0;
    for (let offset = 0; offset < size; offset += PAGE) {
      const place = { folder, file: "kv.sqlite3", offset, damage: damages.noise ?? assert.fail() };
      await withDamage(place, async (other) => {
        try {
          assertReadable(`${other}/kv.sqlite3`, 0);
        } catch (error) {
          assert(error instanceof StoreError && error.kind === "corrupt", String(error));
          refused++;
          return;
        }
        // Its threads have had their turn when the file is closed.
        const kv = await Deno.openKv(`${other}/kv.sqlite3`);
        await Array.fromAsync(kv.list({ prefix: [] })).catch((error) =>
          assert.match(String(error), /malformed/)
        );
        kv.close();
      });
    }
    assert(refused >= 5, `${refused}`);
  });
});

Deno.test("assertReadable takes a file that is absent, empty or sound", async () => {
  await withStore(false, async (folder) => {
    assertReadable(`${folder}/kv.sqlite3`);
    assertReadable(`${folder}/absent`);
    await Deno.writeFile(`${folder}/empty`, new Uint8Array());
    assertReadable(`${folder}/empty`);
  });
});
