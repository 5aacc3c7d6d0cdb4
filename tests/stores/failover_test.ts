/** A primary dies under load and its synchronous standby takes over: no acknowledged commit is lost or doubled. */

import assert from "node:assert/strict";
import { openPostgres } from "../../server/storage/stores/postgres/open_postgres.ts";
import { type Store, StoreError, type StoreKey } from "../../server/storage/stores/store.ts";
import { createClock } from "../../server/runtime.ts";
import { hasPostgres, startPostgresPair } from "../support/postgres.ts";
import { addressOf } from "../support/store_address.ts";
import { pause, until } from "../support/until.ts";

const runtime = { clock: createClock(), randomToken: () => "instance" };

/** Entries that a writer knows of: those acknowledged, and those whose reply was an error. */
interface Diary {
  readonly acknowledged: Set<number>;
  readonly unknown: Set<number>;
  failures: number;
  /** Milliseconds between two successes, at most. */
  gap: number;
}

/** Writes entry after entry as the ledger does: a key that must be absent, read again after a lost reply. */
async function write(store: Store, { writer, diary, going }: Writing): Promise<void> {
  let last = performance.now();
  for (let seq = 0; going(); seq++) {
    const key = ["journal", writer, seq];
    try {
      const result = await store.commit({
        checks: [{ key, version: null }],
        puts: [{ key, value: seq }],
        small: true,
      });
      assert.equal(result.type, "ok");
      diary.acknowledged.add(seq);
      diary.gap = Math.max(diary.gap, performance.now() - last);
      last = performance.now();
    } catch (error) {
      assert.ok(
        error instanceof StoreError && ["unavailable", "timeout"].includes(error.kind),
        String(error),
      );
      diary.unknown.add(seq);
      diary.failures++;
      await pause(20);
    }
  }
}

/** Every entry that is stored, as `writer/seq`. */
async function seqsOf(store: Store): Promise<readonly string[]> {
  const found: string[] = [];
  let after: StoreKey | undefined;
  do {
    const page = await store.list(["journal"], { after, limit: 1_000 });
    found.push(...page.map(({ key }) => key.slice(1).join("/")));
    after = page.at(-1)?.key;
  } while (after);
  return found;
}

interface Writing {
  readonly writer: number;
  readonly diary: Diary;
  readonly going: () => boolean;
}

Deno.test({
  name: "a store of PostgreSQL loses and doubles nothing when its primary dies and the standby is promoted",
  ignore: !hasPostgres(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const pair = await startPostgresPair();
    try {
      const database = new URL(await pair.primary.createDatabase()).pathname.slice(1);
      const store = await openPostgres(addressOf(pair.url(database)), {
        runtime,
        deadlineMs: 2_000,
      });
      const diaries: Diary[] = [1, 2, 3, 4].map(() => ({
        acknowledged: new Set(),
        unknown: new Set(),
        failures: 0,
        gap: 0,
      }));
      let going = true;
      const writers = diaries.map((diary, writer) => write(store, { writer, diary, going: () => going }));
      const acknowledged = () => diaries.reduce((sum, diary) => sum + diary.acknowledged.size, 0);
      await until(() => acknowledged() > 200, { what: "the load" });
      await pair.primary.kill();
      await pair.standby.promote();
      await pair.standby.query("alter system reset synchronous_standby_names");
      await pair.standby.query("select pg_reload_conf()");
      const before = acknowledged();
      await until(() => acknowledged() > before + 200, { what: "writing on the standby" });
      going = false;
      await Promise.all(writers);
      for (const [writer, diary] of diaries.entries()) {
        assert.ok(diary.failures > 0, "the writer noticed");
        for (const seq of diary.acknowledged) {
          assert.equal(
            (await store.get(["journal", writer, seq]))?.value,
            seq,
            `entry ${seq} of ${writer} is lost`,
          );
        }
      }
      const stored = await seqsOf(store);
      const known = diaries.flatMap(({ acknowledged, unknown }, writer) =>
        [...acknowledged, ...unknown].map((seq) => `${writer}/${seq}`)
      );
      assert.equal(new Set(stored).size, stored.length, "an entry is there twice");
      assert.deepEqual(stored.filter((entry) => !known.includes(entry)), [], "nobody wrote these");
      // Connections to the old primary are found dead one by one.
      await until(async () => (await store.health()).ok, { what: "that the store is well" });
      await store.close();
    } finally {
      await pair.stop();
    }
  },
});
