import assert from "node:assert/strict";
import { memoryClock } from "../../../../../tests/support/clock.ts";
import { flatOrder, KEY_SCOPE, ledgerRuntime, oneRequest } from "../../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../../storage/stores/memory_store.ts";
import type { Store, StoreKey } from "../../../../storage/stores/store.ts";
import { appendChecksum } from "../batch_checksum.ts";
import { JOURNAL_ROWS } from "../journal_batch.ts";
import { JournalCheck } from "./journal_check.ts";
import type { Ledger } from "../../core/ledger.ts";
import { openLedger } from "../../core/open_ledger.ts";
import { createProjectionParts } from "../../projection/projection_parts.ts";
import { removeOldReceipts } from "../../retention/receipt_retention.ts";
import { VERIFIED, verifyBooks } from "./verify_books.ts";

interface Rig {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly clock: ReturnType<typeof memoryClock>;
  readonly lines: readonly string[];
  readonly troubles: () => Promise<readonly string[]>;
}

async function rig(run: (rig: Rig) => Promise<void>, shared = false): Promise<void> {
  const clock = memoryClock();
  const store = memoryStore();
  const runtime = ledgerRuntime(clock);
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: createProjectionParts({ randomToken: () => "salt" }),
    isShared: shared,
  });
  for (let at = 0; at < 12; at++) {
    await oneRequest(ledger, { request: flatOrder(900), cost: 100 + at, byok: at });
    if (at % 6 === 5) await ledger.flush();
  }
  const troubles = async () => (await verifyBooks(entriesOf(store))).troubles;
  await run({ store, ledger, clock, lines: runtime.lines, troubles });
  await ledger.close();
  await store.close();
}

async function* entriesOf(store: Store) {
  for (const name of VERIFIED) yield* await store.list([name], { limit: 1_000 });
}

/** The batches that hold receipts, or the rest. */
async function batches(store: Store): Promise<readonly StoreKey[]> {
  return (await store.list([JOURNAL_ROWS], { limit: 1_000 })).map(({ key }) => key);
}

async function harm(store: Store, key: StoreKey): Promise<void> {
  const value = (await store.get(key))?.value;
  assert(value instanceof Uint8Array);
  const harmed = value.slice();
  harmed[20] = (harmed[20] ?? 0) ^ 1;
  await store.commit({ puts: [{ key, value: harmed }] });
}

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "own";
  Deno.test(`verifyBooks finds counters that are not the sum of their receipts (${kind} store)`, async () => {
    await rig(async ({ store, troubles }) => {
      assert.deepEqual(await troubles(), []);
      const [row] = await store.list(["spend", KEY_SCOPE]);
      assert(row !== undefined && Array.isArray(row.value));
      const value = row.value.map(([bucket, cost, byok]) => [bucket, cost + 5, byok]);
      await store.commit({ puts: [{ key: row.key, value }] });
      assert.deepEqual(await troubles(), [
        `the counters of 1 scopes are not the sum of their receipts: ${KEY_SCOPE} by 5 nano-USD`,
      ]);
    }, shared);
  });

  Deno.test(`verifyBooks finds damaged batches, and counts what was removed (${kind} store)`, async () => {
    await rig(async ({ store, clock, troubles }) => {
      const [first, second] = await batches(store);
      assert(first !== undefined && second !== undefined);
      await harm(store, second);
      const [trouble = ""] = await troubles();
      assert.match(trouble, /^1 of \d+ journal batches are damaged, and their receipts are lost: /);
      await removeOldReceipts(store, { before: clock.now() + 1, most: 100 });
      assert.equal(await store.get(second), undefined, "a damaged batch keeps nothing from being removed");
      assert.deepEqual(await troubles(), ["1 damaged journal batches were removed when their time was over"]);
    }, shared);
  });
}

Deno.test("JournalCheck tells of damage within its round, once in the log, and no more when it is gone", async () => {
  await rig(async ({ store, clock }) => {
    const runtime = ledgerRuntime(clock);
    const check = new JournalCheck({ store, runtime });
    await clock.advance(2_000);
    assert.equal(check.trouble, undefined);
    const [key] = await batches(store);
    assert(key !== undefined);
    const sound = (await store.get(key))?.value;
    await harm(store, key);
    for (let at = 0; at < 3; at++) await clock.advance(700_000);
    assert.match(check.trouble ?? "", /^1 journal batch is damaged/);
    assert.equal(runtime.lines.length, 1);
    await store.commit({ puts: [{ key, value: sound }] });
    for (let at = 0; at < 3; at++) await clock.advance(700_000);
    assert.equal(check.trouble, undefined);
    await check.close();
  });
});

Deno.test("a batch that is none, or has another checksum, is damaged", async () => {
  await rig(async ({ store, troubles }) => {
    const bad = [
      "text",
      new Uint8Array(3),
      new TextEncoder().encode('{"entries":[]}'),
      appendChecksum("{"),
      appendChecksum('{"entries":1}'),
    ];
    const puts = bad.map((value, at) => ({ key: [JOURNAL_ROWS, "another", at], value }));
    await store.commit({ puts });
    assert.match((await troubles()).join(), new RegExp(`^${bad.length} of \\d+ journal batches are damaged`));
  });
});
