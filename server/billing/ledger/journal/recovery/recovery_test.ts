/** The second life of a ledger whose first one ended without a goodbye. */

import assert from "node:assert/strict";
import { ApiError } from "../../../../../shared/errors.ts";
import { memoryClock } from "../../../../../tests/support/clock.ts";
import { assertSound, closesOf, spentRows } from "../../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  KEY_SCOPE,
  ledgerRuntime,
  limitOf,
  nano,
  oneRequest,
  openTransaction,
} from "../../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../../storage/stores/memory_store.ts";
import { type CommitResult, type Store, StoreError } from "../../../../storage/stores/store.ts";
import { readTaskSums } from "../../usage/task_query.ts";
import { queryUsage } from "../../usage/usage_query.ts";
import { appendChecksum } from "../batch_checksum.ts";
import { batchKey, readBatch } from "../journal_batch.ts";
import { openLedger } from "../../core/open_ledger.ts";
import { createProjectionParts } from "../../projection/projection_parts.ts";
import { createReceiptReader } from "../receipt_reader.ts";
import { locateReceipt } from "../../index/receipt_ids.ts";
import { ReceiptIndex } from "../../index/receipt_index.ts";
import { listReceipts } from "../../index/receipt_list.ts";
import { recoverJournal } from "./recovery.ts";

const SCOPES = billingOf().scopes;
const none = { cost: nano(0), byok: nano(0) };

function open(store: Store, more: { readonly clock?: ReturnType<typeof memoryClock> } = {}) {
  const { clock = memoryClock() } = more;
  return openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
    limits: { restateAfter: 5 },
  });
}

Deno.test("openLedger closes what was left open: at its progress, at least at its input, at what was final", async () => {
  const store = memoryStore();
  const first = await open(store);
  const billing = billingOf(limitOf(10_000));
  const early = openTransaction(first, { billing, id: "gen-early" });
  await (await early.transaction.reserve(flatOrder(1_000))).durable();
  const record: { router?: string } = {};
  const far = openTransaction(first, { billing, id: "gen-far", router: () => record.router });
  record.router = "service/auto";
  const reservation = await far.transaction.reserve(flatOrder(1_000));
  await reservation.durable();
  reservation.progress({ cost: nano(640), byok: nano(0) });
  const tools = openTransaction(first, { billing, id: "gen-tools" });
  (await tools.transaction.reserve(flatOrder(1_000))).settle({ cost: nano(3), byok: nano(0) });
  const own = await tools.transaction.reserve(flatOrder(500, { byok: true }));
  await own.durable();
  await first.flush();

  const second = await open(store);
  const closes = await assertSound(store, { instances: ["own"], scopes: SCOPES, seen: [] });
  const found = new Map(closes.map(({ receipt, byok }) => [receipt.id, { ...receipt, byok }]));
  assert.deepEqual([...found.keys()].sort(), ["gen-early", "gen-far", "gen-tools"]);
  for (const receipt of found.values()) {
    assert.equal(receipt.status, "interrupted");
    assert.equal(receipt.estimated, true);
    assert.equal(receipt.model, "m");
  }
  assert.equal(found.get("gen-early")?.cost, 100);
  assert.equal(found.get("gen-early")?.request_id, "req-gen-early");
  assert.equal(found.get("gen-far")?.cost, 640);
  assert.deepEqual([found.get("gen-early")?.router, found.get("gen-far")?.router], [
    undefined,
    "service/auto",
  ]);
  assert.deepEqual([found.get("gen-tools")?.cost, found.get("gen-tools")?.byok], [3, 50]);
  assert.equal((await second.readSpend(KEY_SCOPE)).daily.cost, 743);
  await second.close();
});

Deno.test("openLedger finds a long request again without reading all that was written since", async () => {
  const store = memoryStore();
  const first = await open(store);
  const long = openTransaction(first, { id: "gen-long" });
  await (await long.transaction.reserve(flatOrder(1_000))).durable();
  for (let at = 0; at < 40; at++) await openTransaction(first).close();
  const { seq, open: left } = await recoverJournal(store, "own");
  assert.equal(left.length, 1);
  assert.equal(left[0]?.id, "gen-long");
  const last = await readBatch(store, batchKey("own", seq - 1));
  assert.ok(seq > 40 && (last?.low ?? 0) > seq - 10, `low is ${last?.low} of ${seq}`);
  const second = await open(store);
  await assertSound(store, { instances: ["own"], scopes: SCOPES, seen: ["gen-long"] });
  await second.close();
});

Deno.test("Ledger is fenced by a batch that is not its own: nothing is admitted, calls under limits end", async () => {
  const clock = memoryClock();
  const store = memoryStore();
  const ledger = await open(store, { clock });
  const aborted: string[] = [];
  const onAbort = () => aborted.push("under a limit");
  const limited = openTransaction(ledger, { billing: billingOf(limitOf(1_000)), onAbort });
  await (await limited.transaction.reserve(flatOrder(900))).durable();
  const free = openTransaction(ledger, { onAbort: () => aborted.push("without") });
  await (await free.transaction.reserve(flatOrder(10))).durable();
  const waiting = openTransaction(ledger, { billing: billingOf(limitOf(1_000)) });
  const kept = assert.rejects(waiting.transaction.reserve(flatOrder(900)), unavailable);
  const { seq } = await recoverJournal(store, "own");
  const fence = { group: "theirs", low: seq, at: 0, fence: "other", entries: [] };
  const value = appendChecksum(JSON.stringify(fence));
  await store.commit({ puts: [{ key: batchKey("own", seq), value }], small: true });
  await assert.rejects(free.close(), unavailable);
  await kept;
  await assert.rejects(limited.close(), unavailable);
  await assert.rejects(openTransaction(ledger).transaction.reserve(flatOrder(1)), unavailable);
  assert.deepEqual(aborted, ["under a limit"]);
  await ledger.close();
  assert.equal(clock.open, 0);
});

function unavailable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503;
}

Deno.test("Ledger fails closed within two seconds, gives receipts up after five, and comes back", async () => {
  const clock = memoryClock();
  const inner = memoryStore();
  let hanging = false;
  const held: (() => void)[] = [];
  const commit: Store["commit"] = async (wanted): Promise<CommitResult> => {
    if (hanging) await new Promise<void>((resolve) => held.push(resolve));
    if (hanging) throw new StoreError("timeout", "no answer");
    return await inner.commit(wanted);
  };
  const store: Store = { ...limit(inner), commit };
  const ledger = await open(store, { clock });
  const running = openTransaction(ledger, { id: "gen-running" });
  const reservation = await running.transaction.reserve(flatOrder(100));
  await reservation.durable();
  hanging = true;
  const late = openTransaction(ledger, { id: "gen-late" });
  const durable = (await late.transaction.reserve(flatOrder(100))).durable();
  const refused = assert.rejects(durable, unavailable);
  await clock.advance(2_000);
  await refused;
  await assert.rejects(openTransaction(ledger).transaction.reserve(flatOrder(1)), unavailable);
  reservation.settle({ cost: nano(60), byok: nano(0) });
  const input = assert.rejects(running.close(), unavailable);
  await clock.advance(4_500);
  await clock.advance(1_000);
  await input;
  hanging = false;
  for (const go of held.splice(0)) go();
  await clock.advance(5_000);
  await late.close({ status: "failed" });
  await ledger.flush();
  const closes = await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: ["gen-late"] });
  const one = closes.find(({ receipt }) => receipt.id === "gen-running");
  assert.deepEqual([one?.receipt.status, one?.cost], ["interrupted", 60]);
  await ledger.close();
  assert.equal(clock.open, 0);
});

function limit(store: Store): Store {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => store.commit(commit),
    health: () => store.health(),
    close: () => store.close(),
  };
}

Deno.test("openLedger posts what an earlier run has only written, once", async () => {
  const store = memoryStore();
  const runtime = ledgerRuntime(memoryClock());
  const counted = async () => {
    const day = Date.UTC(2026, 0, 14);
    const { groups } = await queryUsage(store, { from: day, to: day + 86_400_000, grain: "day" });
    return groups.reduce((sum, { totals }) => sum + totals.requests, 0);
  };
  const voted = async () => {
    const hasWorkspace = () => Promise.resolve(true);
    const now = Date.UTC(2026, 0, 14, 13);
    const { sums } = await readTaskSums(store, { now, modelId: (name) => name, hasWorkspace });
    return sums.get("math")?.models.get("m")?.generations ?? 0;
  };
  for (let run = 0; run < 3; run++) {
    // The runs before are never closed: that is how a process ends that is killed.
    const parts = createProjectionParts({ randomToken: () => `run-${run}` });
    const ledger = await openLedger({ store, runtime, projectionParts: parts, isShared: false });
    const seen = (await closesOf(store)).map(({ receipt }) => receipt.id);
    await assertSound(store, { instances: ["own"], scopes: SCOPES, seen });
    assert.deepEqual([await counted(), await voted()], [55 * run, 5 * run]);
    for (let at = 0; at < 50; at++) await oneRequest(ledger, { request: flatOrder(100), cost: 1 + at });
    for (let at = 0; at < 5; at++) await openTransaction(ledger).close({ task: "math" });
    assert.deepEqual([await counted(), await voted()], [55 * run, 5 * run]);
  }
});

Deno.test("openLedger counts a receipt that it cannot read, and posts the others", async () => {
  const store = memoryStore();
  const runtime = ledgerRuntime(memoryClock());
  const options = { store, runtime, projectionParts: [new ReceiptIndex()], isShared: false };
  const first = await openLedger(options);
  await oneRequest(first, { request: flatOrder(100), cost: 5 });
  const odd = openTransaction(first, { id: "gen-unreadable" });
  (await odd.transaction.reserve(flatOrder(100))).settle({ cost: nano(7), byok: nano(0) });
  await odd.close({ total_ms: NaN });
  const again = await openLedger({ ...options, projectionParts: [new ReceiptIndex()] });
  assert.equal((await again.readSpend(KEY_SCOPE)).lifetime.cost, 12);
  assert.deepEqual((await spentRows(store, KEY_SCOPE)).get("lifetime"), [12, 0]);
  assert.equal(await locateReceipt(store, "gen-unreadable"), undefined);
  const page = await listReceipts({ store, batches: createReceiptReader(store) }, { filters: {}, limit: 10 });
  assert.deepEqual(page.receipts.map(({ cost }) => cost), [5]);
  await again.close();
});

Deno.test("Ledger writes nothing twice when a hold ends twice, and takes no part that fails", async () => {
  const store = memoryStore();
  const runtime = ledgerRuntime(memoryClock());
  const parts = [{
    rows: 0,
    add: () => {
      throw new Error("broken part");
    },
    take: () => [],
  }];
  const ledger = await openLedger({ store, runtime, projectionParts: parts, isShared: false });
  const { transaction, close } = openTransaction(ledger);
  const reservation = await transaction.reserve(flatOrder(10));
  reservation.settle({ cost: nano(4), byok: nano(0) });
  reservation.release();
  reservation.progress(none);
  await close();
  await ledger.flush();
  const [entry] = await assertSound(store, { instances: ["own"], scopes: SCOPES, seen: [] });
  assert.equal(entry?.cost, 4);
  assert.deepEqual(runtime.lines, ["Cannot build projection rows"]);
  await ledger.close();
});
