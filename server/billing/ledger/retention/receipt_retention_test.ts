import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { assertSound, closesOf, everything } from "../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  KEY_SCOPE,
  ledgerRuntime,
  oneRequest,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { JOURNAL_ROWS } from "../journal/journal_batch.ts";
import { openLedger } from "../core/open_ledger.ts";
import { locateReceipt } from "../index/receipt_ids.ts";
import { ReceiptIndex } from "../index/receipt_index.ts";
import { receiptRetentionJob } from "./receipt_retention_job.ts";
import { decodeRetiredTotal, type LeavingBatches, removeOldReceipts } from "./receipt_retention.ts";

const DAY_MS = 86_400_000;

async function opened() {
  const clock = memoryClock();
  const store = memoryStore();
  const runtime = ledgerRuntime(clock);
  const ledger = await openLedger({
    store,
    runtime,
    projectionParts: [new ReceiptIndex()],
    isShared: false,
  });
  return { clock, store, runtime, ledger };
}

Deno.test("retire removes old batches with all their rows, and keeps what they have counted", async () => {
  const { clock, store, ledger } = await opened();
  for (let at = 0; at < 5; at++) {
    await oneRequest(ledger, { request: flatOrder(100), cost: 10 + at });
    if (at === 1) await ledger.caughtUp();
  }
  await clock.advance(2 * DAY_MS);
  for (let at = 0; at < 3; at++) {
    await oneRequest(ledger, { request: flatOrder(100), cost: 7, at: clock.now() });
  }
  await ledger.caughtUp();
  const before = clock.now() - DAY_MS;
  assert.ok(await removeOldReceipts(store, { before, most: 2 }) > 2);
  assert.deepEqual((await closesOf(store)).map(({ cost }) => cost), [12, 13, 14, 7, 7, 7]);
  const rest = await Promise.all([
    removeOldReceipts(store, { before, most: 100 }),
    removeOldReceipts(store, { before, most: 100 }),
  ]);
  assert.ok(rest[0] + rest[1] > 0);
  await removeOldReceipts(store, { before, most: 100 });
  const kept = await closesOf(store);
  assert.deepEqual(kept.map(({ cost }) => cost), [7, 7, 7]);
  const key = ["spend_retired", KEY_SCOPE, "own"];
  assert.deepEqual(decodeRetiredTotal(key, (await store.get(key))?.value), [60, 0]);
  assert.equal((await ledger.readSpend(KEY_SCOPE)).lifetime.cost, 60 + 21);
  // The three that are kept are one projection: by key, workspace, model, status and provider.
  assert.equal((await everything(store, ["receipts_by"])).length, 5);
  assert.equal((await everything(store, ["posting"])).length, 1);
  const ids = await Promise.all(kept.map(({ receipt }) => locateReceipt(store, receipt.id)));
  assert.ok(ids.every((found) => found !== undefined));
  assert.equal((await everything(store, ["receipt_ids"])).length, 3);
  await ledger.close();
});

Deno.test("retire leaves what is not posted yet", async () => {
  const { clock, store, ledger } = await opened();
  for (let at = 0; at < 3; at++) await oneRequest(ledger, { request: flatOrder(100), cost: 5 });
  const whenever = { before: clock.now() + DAY_MS, most: 100 };
  await removeOldReceipts(store, whenever);
  assert.equal((await closesOf(store)).length, 3);
  await ledger.caughtUp();
  await oneRequest(ledger, { request: flatOrder(100), cost: 5 });
  assert.ok(await removeOldReceipts(store, whenever) > 2);
  assert.equal((await closesOf(store)).length, 1);
  await ledger.close();
});

Deno.test("retire keeps what an open request needs, and the last batch", async () => {
  const { clock, store, ledger, runtime } = await opened();
  const long = openTransaction(ledger, { id: "gen-long" });
  await (await long.transaction.reserve(flatOrder(100))).durable();
  await openTransaction(ledger).close();
  await clock.advance(200 * DAY_MS);
  assert.equal(await removeOldReceipts(store, { before: clock.now(), most: 100 }), 0);
  await long.close();
  await removeOldReceipts(store, { before: clock.now() + 1, most: 100 });
  assert.equal((await everything(store, [JOURNAL_ROWS])).length, 1);
  await ledger.close();
  const again = await openLedger({ store, runtime, projectionParts: [], isShared: false });
  await openTransaction(again, { id: "gen-next" }).close();
  await again.close();
  await assertSound(store, {
    instances: ["own"],
    scopes: billingOf().scopes,
    seen: ["gen-long", "gen-next"],
  });
});

Deno.test("removeOldReceipts tells of batches before they go, and leaves them where that fails", async () => {
  const { clock, store, ledger } = await opened();
  for (const id of ["gen-1", "gen-2", "gen-3"]) await openTransaction(ledger, { id }).close();
  await ledger.caughtUp();
  await openTransaction(ledger, { id: "gen-4" }).close();
  const told: LeavingBatches[] = [];
  const options = { before: clock.now() + 1, most: 100 };
  const fails = (leaving: LeavingBatches) => {
    told.push(leaving);
    return Promise.reject(new Error("not now"));
  };
  await assert.rejects(removeOldReceipts(store, { ...options, onLeaving: fails }), /not now/);
  assert.equal((await closesOf(store)).length, 4);
  const hears = (leaving: LeavingBatches) => Promise.resolve(void told.push(leaving));
  await removeOldReceipts(store, { ...options, onLeaving: hears });
  assert.equal((await closesOf(store)).length, 1);
  const [first, ...second] = told.map(({ batches }) =>
    batches.flatMap(({ receipts }) => receipts.map(({ id }) => id))
  );
  assert.deepEqual(second.flat(), ["gen-1", "gen-2", "gen-3"]);
  assert.deepEqual(first, second[0]);
  assert.ok(told.every(({ batches }) => batches.every(({ at }) => at === clock.now())));
  await ledger.close();
});

Deno.test("receiptRetentionJob removes what is old every hour until it is closed", async () => {
  const { clock, store, ledger, runtime } = await opened();
  const sweep = receiptRetentionJob({ store, runtime, keepMs: 3 * DAY_MS });
  await openTransaction(ledger).close();
  await clock.advance(DAY_MS);
  await openTransaction(ledger).close();
  assert.equal((await closesOf(store)).length, 2);
  await clock.advance(3 * DAY_MS - 3_600_000);
  assert.equal((await closesOf(store)).length, 1);
  await sweep.close();
  await ledger.close();
  assert.equal(clock.open, 0);
});

Deno.test("receiptRetentionJob comes to an end with more than one step can remove", async () => {
  const { clock, store, ledger, runtime } = await opened();
  const sweep = receiptRetentionJob({ store, runtime, keepMs: DAY_MS });
  // A batch each, and a projection for a few of them: a step never removes all.
  for (let at = 0; at < 450; at++) {
    await openTransaction(ledger).close();
    if (at % 50 === 0) await ledger.caughtUp();
  }
  await ledger.caughtUp();
  await clock.advance(2 * DAY_MS);
  await openTransaction(ledger).close();
  await openTransaction(ledger).close();
  await ledger.caughtUp();
  assert.ok((await closesOf(store)).length > 2, "a pause is between two steps");
  for (let at = 0; at < 10; at++) await clock.advance(1_000);
  assert.equal((await closesOf(store)).length, 2);
  await sweep.close();
  await ledger.close();
  assert.equal(clock.open, 0);
});
