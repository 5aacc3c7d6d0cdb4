/** When a reserve entry is written, and who waits for it (promises M4, M5). */

import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { assertSound, everything } from "../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  ledgerRuntime,
  nano,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { appendChecksum } from "./batch_checksum.ts";
import { batchKey, decodeBatch, JOURNAL_ROWS } from "./journal_batch.ts";
import type { Reservation } from "../core/ledger.ts";
import { openLedger } from "../core/open_ledger.ts";
import { recoverJournal } from "./recovery/recovery.ts";

const SCOPES = billingOf().scopes;
/** Ms after which receipts are projected, and all is still. */
const A_WHILE = 3_000;

/** A store whose commits of batches are counted, and wait while a test says so; a ledger whose clock stands still. */
async function opened() {
  const inner = memoryStore();
  const clock = memoryClock();
  const state = { commits: 0, failing: false };
  let gate: PromiseWithResolvers<void> | undefined;
  const store: Store = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (prefix, options) => inner.list(prefix, options),
    commit: async (commit) => {
      if (commit.puts?.some(({ key }) => key[0] === JOURNAL_ROWS)) state.commits++;
      await gate?.promise;
      if (state.failing) throw new StoreError("unavailable", "The disk is full");
      return await inner.commit(commit);
    },
    health: () => inner.health(),
    close: () => inner.close(),
  };
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  const stop = () => {
    gate = Promise.withResolvers();
  };
  const go = () => {
    gate?.resolve();
    gate = undefined;
  };
  return { inner, clock, state, ledger, stop, go };
}

/** Lists the entries of the batches in order: `open gen-1`. */
async function writtenEntries(store: Store): Promise<readonly (readonly string[])[]> {
  const batches = (await everything(store, [JOURNAL_ROWS])).map(decodeBatch);
  return batches.map(({ entries }) =>
    entries.map((entry) => `${entry.type} ${entry.type === "close" ? entry.receipt.id : entry.id}`)
  );
}

function settled(reservation: Reservation): void {
  reservation.settle({ cost: nano(40), byok: nano(0) });
}

/** Whether it is over, without waiting for it. */
function watched(promise: Promise<unknown>): { over: boolean } {
  const state = { over: false };
  const end = () => {
    state.over = true;
  };
  promise.then(end, end);
  return state;
}

Deno.test("GroupCommitLoop writes an answer that is whole at once in one commit, which says nothing but its receipt", async () => {
  const { inner, clock, state, ledger } = await opened();
  for (const id of ["gen-1", "gen-2"]) {
    const { transaction, close } = openTransaction(ledger, { id });
    settled(await transaction.reserve(flatOrder(100)));
    await close();
  }
  assert.equal(state.commits, 2);
  assert.deepEqual(await writtenEntries(inner), [["close gen-1"], ["close gen-2"]]);
  await clock.advance(A_WHILE);
  assert.deepEqual([state.commits, clock.open], [2, 0], "no timer runs while there is nothing to write");
  await ledger.close();
  await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: ["gen-1", "gen-2"] });
});

Deno.test("GroupCommitLoop writes a reserve entry after a moment, whatever the clock is set to meanwhile", async () => {
  for (const step of [-3_600_000, -1, 3_600_000]) {
    const inner = memoryStore();
    const steady = memoryClock();
    let set = 0;
    const clock = { ...steady, now: () => steady.now() + set };
    const ledger = await openLedger({
      store: inner,
      runtime: ledgerRuntime(clock),
      projectionParts: [],
      isShared: false,
    });
    const { transaction, close } = openTransaction(ledger, { id: "gen-1" });
    settled(await transaction.reserve(flatOrder(100)));
    set = step;
    await steady.advance(100);
    assert.deepEqual(await writtenEntries(inner), [["open gen-1"]], `set by ${step} ms`);
    await close();
    await ledger.close();
  }
});

Deno.test("GroupCommitLoop writes one commit for a request whose first call came to nothing at once", async () => {
  const { inner, state, ledger } = await opened();
  const { transaction, close } = openTransaction(ledger, { id: "gen-1" });
  (await transaction.reserve(flatOrder(100))).release();
  settled(await transaction.reserve(flatOrder(200)));
  await close();
  assert.equal(state.commits, 1);
  await ledger.close();
  const [entry] = await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: ["gen-1"] });
  assert.deepEqual([entry?.cost, entry?.receipt.reserved], [40, 200]);
});

Deno.test("GroupCommitLoop writes a reserve entry at once for who asks, and all who ask wait for that commit", async () => {
  const { inner, clock, state, ledger, stop, go } = await opened();
  const { transaction, close } = openTransaction(ledger, { id: "gen-1" });
  const reservation = await transaction.reserve(flatOrder(100));
  await clock.advance(49);
  assert.equal(state.commits, 0);
  stop();
  const requested = [reservation.durable(), reservation.durable()];
  await clock.advance(0);
  // The batch is under way by now: anyone who comes now waits for it too.
  requested.push(reservation.durable());
  assert.equal(state.commits, 1);
  const first = watched(Promise.race(requested));
  await clock.advance(10);
  assert.equal(first.over, false);
  go();
  await Promise.all(requested);
  assert.deepEqual(await writtenEntries(inner), [["open gen-1"]]);
  stop();
  await reservation.durable();
  assert.equal(state.commits, 1, "what is durable asks for nothing");
  go();
  settled(reservation);
  await close();
  assert.deepEqual(await writtenEntries(inner), [["open gen-1"], ["close gen-1"]]);
  await ledger.close();
  assert.equal(clock.open, 0);
});

Deno.test("GroupCommitLoop writes the reserve entry of a call that takes its time, asked or not", async () => {
  const { inner, clock, state, ledger } = await opened();
  const early = openTransaction(ledger, { id: "gen-1" });
  const reservation = await early.transaction.reserve(flatOrder(100));
  await clock.advance(15);
  const late = openTransaction(ledger, { id: "gen-2" });
  settled(await late.transaction.reserve(flatOrder(100)));
  await clock.advance(25);
  const last = openTransaction(ledger, { id: "gen-3" });
  settled(await last.transaction.reserve(flatOrder(100)));
  await clock.advance(9);
  assert.equal(state.commits, 0);
  await clock.advance(1);
  assert.deepEqual([state.commits, await writtenEntries(inner)], [1, [["open gen-1", "open gen-2"]]]);
  await clock.advance(39);
  assert.equal(state.commits, 1);
  await clock.advance(1);
  assert.deepEqual([state.commits, await writtenEntries(inner)], [2, [["open gen-1", "open gen-2"], [
    "open gen-3",
  ]]]);
  assert.equal(clock.open, 0, "no timer runs while there is nothing to write");
  await reservation.durable();
  settled(reservation);
  await Promise.all([early.close(), late.close(), last.close()]);
  assert.equal(state.commits, 3);
  await ledger.close();
});

Deno.test("GroupCommitLoop takes reserve entries along with the next commit, but none of calls that have only begun", async () => {
  const { inner, clock, state, ledger, stop, go } = await opened();
  stop();
  const first = openTransaction(ledger, { id: "gen-first" });
  settled(await first.transaction.reserve(flatOrder(100)));
  const closed = [first.close()];
  const reserved = async (name: string) => {
    const transactions = Array.from(
      { length: 4 },
      (_, at) => openTransaction(ledger, { id: `gen-${name}-${at}` }),
    );
    const reservations = await Promise.all(
      transactions.map(({ transaction }) => transaction.reserve(flatOrder(100))),
    );
    return { transactions, reservations };
  };
  const early = await reserved("early");
  await clock.advance(25);
  const late = await reserved("late");
  for (const { transactions, reservations } of [early, late]) {
    reservations.slice(0, 2).forEach(settled);
    closed.push(...transactions.slice(0, 2).map(({ close }) => close()));
  }
  go();
  await Promise.all(closed);
  assert.equal(state.commits, 2);
  const [, second = []] = await writtenEntries(inner);
  assert.deepEqual(second, [
    "close gen-early-0",
    "close gen-early-1",
    "close gen-late-0",
    "close gen-late-1",
    "open gen-early-2",
    "open gen-early-3",
  ]);
  for (const reservation of early.reservations) await reservation.durable();
  assert.equal(state.commits, 2);
  await late.reservations[3]?.durable();
  assert.deepEqual((await writtenEntries(inner))[2], ["open gen-late-3"]);
  await Promise.all(
    [early, late].flatMap(({ transactions }) => transactions.map(({ close }) => close())),
  );
  assert.equal(state.commits, 4);
  await clock.advance(A_WHILE);
  assert.deepEqual([state.commits, clock.open], [4, 0]);
  await ledger.close();
});

for (const { ms, found } of [{ ms: 50, found: ["interrupted"] }, { ms: 49, found: [] }]) {
  Deno.test(`A gateway that dies ${ms} ms into a call leaves ${found[0] ?? "nothing"}`, async () => {
    const { inner, clock, ledger } = await opened();
    const { transaction } = openTransaction(ledger, { id: "gen-1" });
    await transaction.reserve(flatOrder(100));
    await clock.advance(ms);
    const next = await openLedger({
      store: inner,
      runtime: ledgerRuntime(clock),
      projectionParts: [],
      isShared: false,
    });
    const closes = await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: [] });
    assert.deepEqual(closes.map(({ receipt }) => receipt.status), found);
    assert.deepEqual(closes.map(({ cost }) => cost), found.map(() => 10), "the estimate of its input");
    await next.close();
  });
}

Deno.test("Ledger.flush writes reserve entries that nobody asked for", async () => {
  const { inner, clock, ledger } = await opened();
  const { transaction, close } = openTransaction(ledger, { id: "gen-1" });
  await transaction.reserve(flatOrder(100));
  await ledger.flush();
  assert.deepEqual(await writtenEntries(inner), [["open gen-1"]]);
  assert.equal(clock.open, 0);
  await close();
  await ledger.close();
});

Deno.test("Ledger.close writes what is in the line, and leaves no timer", async () => {
  const { inner, clock, ledger } = await opened();
  await openTransaction(ledger, { id: "gen-1" }).transaction.reserve(flatOrder(100));
  assert.equal(clock.open, 1);
  await ledger.close();
  assert.equal(clock.open, 0);
  assert.equal((await recoverJournal(inner, "own")).open.length, 1);
});

Deno.test("Reservation.durable rejects where the entry cannot be written in time, wherever it stands", async () => {
  const { clock, state, ledger, stop, go } = await opened();
  const kept = openTransaction(ledger, { id: "gen-kept" });
  const safe = await kept.transaction.reserve(flatOrder(100));
  await safe.durable();
  stop();
  const flying = openTransaction(ledger, { id: "gen-flying" });
  const first = await flying.transaction.reserve(flatOrder(100));
  await clock.advance(20);
  const queued = openTransaction(ledger, { id: "gen-queued" });
  const second = await queued.transaction.reserve(flatOrder(100));
  const refusals = [first, second].map((reservation) =>
    assert.rejects(reservation.durable(), { kind: "unavailable" })
  );
  await clock.advance(1_750);
  await Promise.all(refusals);
  await safe.durable();
  await assert.rejects(openTransaction(ledger).transaction.reserve(flatOrder(1)), { kind: "unavailable" });
  assert.equal(state.commits, 2);
  go();
  await clock.advance(0);
  for (const { close } of [kept, flying, queued]) await close();
  await ledger.close();
  assert.equal(clock.open, 0);
});

Deno.test("GroupCommitLoop blames no store for time in which nothing of its own process ran", async () => {
  const { clock, state, ledger, stop, go } = await opened();
  stop();
  const flying = await openTransaction(ledger, { id: "gen-flying" }).transaction.reserve(flatOrder(100));
  const durable = watched(flying.durable());
  await clock.advance(800);
  const queued = await openTransaction(ledger, { id: "gen-queued" }).transaction.reserve(flatOrder(100));
  const later = watched(queued.durable());
  // The store answers in the meantime, and nobody hears it: whatever is due runs first.
  clock.leap(20_000);
  await clock.advance(250);
  assert.deepEqual([durable.over, later.over, ledger.unavailableReason], [false, false, undefined]);
  go();
  await clock.advance(20);
  assert.deepEqual([durable.over, later.over, state.commits], [true, true, 2]);
  // One that does not answer while it is looked at is told all the same.
  stop();
  const stuck = await openTransaction(ledger, { id: "gen-stuck" }).transaction.reserve(flatOrder(100));
  const refused = assert.rejects(stuck.durable(), { kind: "unavailable" });
  clock.leap(20_000);
  await clock.advance(1_750);
  await refused;
  go();
  await clock.advance(20);
  await ledger.close();
  assert.equal(clock.open, 0);
});

Deno.test("A whole answer whose reserve entry could not be written is given up by its receipt's own time", async () => {
  const { inner, clock, state, ledger, stop, go } = await opened();
  stop();
  state.failing = true;
  const { transaction, close } = openTransaction(ledger, { id: "gen-1" });
  const reservation = await transaction.reserve(flatOrder(100));
  await clock.advance(4_000);
  settled(reservation);
  const closing = assert.rejects(close(), { kind: "unavailable" });
  const input = watched(closing);
  await clock.advance(4_750);
  assert.equal(input.over, false);
  await clock.advance(500);
  await closing;
  state.failing = false;
  go();
  await clock.advance(2_000);
  await ledger.close();
  assert.equal(clock.open, 0);
  const [entry] = await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: ["gen-1"] });
  assert.deepEqual([entry?.receipt.status, entry?.cost], ["interrupted", 40]);
});

Deno.test("Reservation.durable rejects once another instance has taken over, unless the entry is in the store", async () => {
  const { inner, clock, ledger } = await opened();
  const kept = openTransaction(ledger, { id: "gen-kept" });
  const safe = await kept.transaction.reserve(flatOrder(100));
  await safe.durable();
  const late = await openTransaction(ledger, { id: "gen-late" }).transaction.reserve(flatOrder(100));
  const { seq } = await recoverJournal(inner, "own");
  const fence = { group: "theirs", low: seq, at: 0, fence: "other", entries: [] };
  const value = appendChecksum(JSON.stringify(fence));
  await inner.commit({ puts: [{ key: batchKey("own", seq), value }], small: true });
  await assert.rejects(late.durable(), { kind: "unavailable" });
  await assert.rejects(late.durable(), { kind: "unavailable" });
  await safe.durable();
  await assert.rejects(kept.close(), { kind: "unavailable" });
  await ledger.close();
  assert.equal(clock.open, 0);
});
