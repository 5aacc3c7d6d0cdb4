/** Several instances on one store: limits that they share, and what becomes of those that die (promises M1, M2). */

import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { memoryClock, type SteppedClock, storeClock } from "../../../../tests/support/clock.ts";
import { assertSound } from "../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  KEY_SCOPE,
  ledgerRuntime,
  limitOf,
  nano,
  oneRequest,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { hasPostgres, sharedPostgres } from "../../../../tests/support/postgres.ts";
import { countedStore, countFiles, RealWork } from "../../../../tests/support/real_work.ts";
import { PATIENCE_MS } from "../../../../tests/support/until.ts";
import { parseStoreAddress } from "../../../config/store_address.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { postgresStore } from "../../../storage/stores/postgres/postgres_store.ts";
import { postgresClient } from "../../../storage/stores/postgres/postgres_client.ts";
import { setUpPostgres } from "../../../storage/stores/postgres/setup.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { createClock } from "../../../runtime.ts";
import { listInstances } from "./instances.ts";
import type { Ledger } from "../core/ledger.ts";
import { openLedger } from "../core/open_ledger.ts";
import { recoverJournal } from "../journal/recovery/recovery.ts";

const SCOPES = billingOf().scopes;
const COST = 333_333;

interface Instance {
  readonly ledger: Ledger;
  readonly clock: SteppedClock;
  readonly lines: string[];
}

async function instance(store: Store, name: string): Promise<Instance> {
  const clock = memoryClock();
  const runtime = ledgerRuntime(clock, name);
  const ledger = await openLedger({ store, runtime, projectionParts: [], isShared: true });
  return { ledger, clock, lines: runtime.lines };
}

/** Instances take their names with the first id of their world. */
const named = (...names: readonly string[]) => names.map((name) => `${name}-0`);

/** Turns the clocks until the work is done. */
async function through<T>(work: Promise<T>, { clocks, ms = 20 }: Turning): Promise<T> {
  let done = false;
  work.then(() => done = true, () => done = true);
  for (let turn = 0; turn < 2_000 && !done; turn++) {
    await Promise.all(clocks.map((clock) => clock.advance(ms)));
  }
  assert.ok(done, "it does not end");
  return await work;
}

interface Turning {
  readonly clocks: readonly SteppedClock[];
  readonly ms?: number;
}

function withoutSignals(store: Store): Store {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => store.commit(commit),
    health: () => store.health(),
    close: () => store.close(),
  };
}

for (const signals of [true, false]) {
  const kind = signals ? "with signals" : "without signals";
  Deno.test(`Ledgers that share a store serve 95 of 100 affordable requests, and none too many (${kind})`, async () => {
    const store = signals ? memoryStore() : withoutSignals(memoryStore());
    const all = await Promise.all(["a", "b", "c"].map((name) => instance(store, name)));
    const clocks = all.map(({ clock }) => clock);
    const limit = limitOf(100 * COST + 7);
    const outcomes = await through(
      Promise.all(Array.from({ length: 1_000 }, (_, at) => {
        const { ledger, clock } = all[at % 3] ?? assert.fail();
        const during = () => new Promise<void>((resolve) => void clock.after(20, resolve));
        return oneRequest(ledger, {
          billing: billingOf(limit),
          request: flatOrder(3 * COST),
          cost: COST,
          during,
        });
      })),
      { clocks },
    );
    await assertServed(store, { outcomes, all: all.map(({ ledger }) => ledger), limit: limit.amount });
    for (const { ledger } of all) await ledger.close();
    for (const clock of clocks) assert.equal(clock.open, 0);
    assert.deepEqual(await listInstances(store), []);
    await assertSound(store, { instances: named("a", "b", "c"), scopes: SCOPES, seen: [] });
  });
}

/** Each call takes so long, there and back, and each signal half of it. */
function distant(store: Store, { clock, ms }: { readonly clock: SteppedClock; readonly ms: number }): Store {
  const pause = () => new Promise<void>((resolve) => void clock.after(ms / 2, resolve));
  const far = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause();
    const result = await work();
    await pause();
    return result;
  };
  return {
    ...withoutSignals(store),
    get: (key) => far(() => store.get(key)),
    getMany: (keys) => far(() => store.getMany(keys)),
    list: (prefix, options) => far(() => store.list(prefix, options)),
    commit: (commit) => far(() => store.commit(commit)),
    listen: (listener) =>
      store.listen?.((topic) => void clock.after(ms / 2, () => listener(topic))) ?? assert.fail(),
  };
}

for (const { count, ms } of [{ count: 3, ms: 100 }, { count: 5, ms: 60 }]) {
  Deno.test(`Ledgers deal a limit out in few steps: ${count} of them serve 95 of 100 on a store ${ms} ms away`, async () => {
    const store = memoryStore();
    const all = await Promise.all(
      ["a", "b", "c", "d", "e"].slice(0, count).map(async (name) => {
        const clock = memoryClock();
        const far = distant(store, { clock, ms });
        const opening = openLedger({
          store: far,
          runtime: ledgerRuntime(clock, name),
          projectionParts: [],
          isShared: true,
        });
        return { ledger: await through(opening, { clocks: [clock] }), clock };
      }),
    );
    const clocks = all.map(({ clock }) => clock);
    const limit = limitOf(100 * COST + 7);
    const outcomes = await through(
      Promise.all(Array.from({ length: 1_000 }, (_, at) => {
        const { ledger, clock } = all[at % count] ?? assert.fail();
        const during = () => new Promise<void>((resolve) => void clock.after(50, resolve));
        return oneRequest(ledger, {
          billing: billingOf(limit),
          request: flatOrder(3 * COST),
          cost: COST,
          during,
        });
      })),
      { clocks, ms: 10 },
    );
    const ledgers = all.map(({ ledger }) => ledger);
    await through(assertServed(store, { outcomes, all: ledgers, limit: limit.amount }), { clocks });
    await through(Promise.all(ledgers.map((ledger) => ledger.close())), { clocks });
    assert.deepEqual(await listInstances(store), []);
  });
}

interface Outcomes {
  readonly outcomes: readonly ("served" | ApiError)[];
  readonly all: readonly Ledger[];
  readonly limit: number;
}

async function assertServed(store: Store, { outcomes, all, limit }: Outcomes): Promise<void> {
  const served = outcomes.filter((one) => one === "served").length;
  const spent = await Promise.all(
    all.map(async (ledger) => (await ledger.readSpend(KEY_SCOPE)).lifetime.cost),
  );
  assert.deepEqual(spent, all.map(() => served * COST));
  assert.ok(served * COST <= limit, `${served} were served`);
  assert.ok(served >= 95, `only ${served} were served`);
  for (const one of outcomes) assert.ok(one === "served" || one.status === 402, String(one));
  assert.ok(await store.get(["share", KEY_SCOPE, "lifetime"]));
}

Deno.test({
  name: "Ledgers that share a PostgreSQL database serve 95 of 100 affordable requests, and none too many",
  ignore: !hasPostgres(),
  // The real clock of the stores ticks for a moment after its last deadline.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const reading = parseStoreAddress(await (await sharedPostgres()).createDatabase());
    assert.ok("value" in reading);
    const session = await postgresClient(reading.value, { statementMs: PATIENCE_MS, connections: 1 });
    await setUpPostgres(session);
    await session.end();
    // Requests wait for five seconds of fake time: a busy server is no reason to refuse one.
    const work = new RealWork();
    const all = await Promise.all(["a", "b", "c"].map(async (name) => {
      const sql = await postgresClient(reading.value, { statementMs: PATIENCE_MS, connections: 4 });
      const store = countedStore(
        postgresStore({ sql, clock: createClock(), deadlineMs: PATIENCE_MS }),
        work,
      );
      return { store, name, clock: storeClock(work) };
    }));
    const clocks = all.map(({ clock }) => clock);
    const ledgers = await Promise.all(
      all.map(({ store, name, clock }) =>
        openLedger({ store, runtime: ledgerRuntime(clock, name), projectionParts: [], isShared: true })
      ),
    );
    const limit = limitOf(100 * COST + 7);
    const outcomes = await through(
      Promise.all(Array.from({ length: 1_000 }, (_, at) => {
        const [ledger, clock] = [ledgers[at % 3] ?? assert.fail(), clocks[at % 3] ?? assert.fail()];
        const during = () => new Promise<void>((resolve) => void clock.after(5, resolve));
        return oneRequest(ledger, {
          billing: billingOf(limit),
          request: flatOrder(3 * COST),
          cost: COST,
          during,
        });
      })),
      { clocks, ms: 5 },
    );
    const [first = assert.fail()] = all;
    await assertServed(first.store, { outcomes, all: ledgers, limit: limit.amount });
    for (const ledger of ledgers) await through(ledger.close(), { clocks });
    await assertSound(first.store, { instances: named("a", "b", "c"), scopes: SCOPES, seen: [] });
    for (const { store } of all) await store.close();
  },
});

Deno.test("Ledger takes over from an instance that stands still for 90 seconds, and no limit is passed", async () => {
  const store = memoryStore();
  const a = await instance(store, "a");
  const b = await instance(store, "b");
  const billing = billingOf(limitOf(10_000));
  const aborted: string[] = [];
  const stuck = openTransaction(a.ledger, {
    billing,
    id: "gen-stuck",
    onAbort: (reason) => aborted.push(reason),
  });
  const reservation = await through(stuck.transaction.reserve(flatOrder(6_000)), {
    clocks: [a.clock, b.clock],
  });
  await reservation.durable();
  reservation.progress({ cost: nano(2_500), byok: nano(0) });
  await a.ledger.flush();
  // What is held elsewhere is out of reach, as long as the other one may live.
  const early = openTransaction(b.ledger, { billing });
  const refused = assert.rejects(early.transaction.reserve(flatOrder(5_000)), { kind: "payment_required" });
  await through(refused, { clocks: [b.clock], ms: 500 });
  await b.clock.advance(90_000);
  assert.deepEqual((await listInstances(store)).map(({ id }) => id), named("b"));
  const late = openTransaction(b.ledger, { billing });
  const taken = await through(late.transaction.reserve(flatOrder(7_500)), { clocks: [b.clock] });
  taken.settle({ cost: nano(7_500), byok: nano(0) });
  await late.close();
  // It wakes up: its call has gone on, and cannot be settled any more.
  reservation.settle({ cost: nano(6_000), byok: nano(0) });
  await assert.rejects(stuck.close(), (error) => error instanceof ApiError && error.status === 503);
  await assert.rejects(
    openTransaction(a.ledger).transaction.reserve(flatOrder(1)),
    (error) => error instanceof ApiError,
  );
  assert.equal(aborted.length, 1);
  assert.equal((await b.ledger.readSpend(KEY_SCOPE)).lifetime.cost, 10_000);
  await a.ledger.close();
  await early.close({ status: "refused" });
  await b.ledger.close();
  const closes = await assertSound(store, { instances: named("a", "b"), scopes: SCOPES, seen: [late.id] });
  const one = closes.find(({ receipt }) => receipt.id === "gen-stuck");
  assert.deepEqual([one?.receipt.status, one?.cost], ["interrupted", 2_500]);
  assert.equal(a.clock.open + b.clock.open, 0);
});

Deno.test("Ledger takes nobody for dead whom it could not look at", async () => {
  const store = memoryStore();
  const a = await instance(store, "a");
  const b = await instance(store, "b");
  await b.clock.advance(10_000);
  // A machine that slept, or a store that was away for all of them: anyone who looks first has seen nobody's beats.
  b.clock.leap(120_000);
  await b.clock.advance(10_000);
  assert.deepEqual((await listInstances(store)).map(({ id, reaper }) => [id, reaper]), [
    ["a-0", undefined],
    ["b-0", undefined],
  ]);
  const order = { billing: billingOf(limitOf(10_000)), request: flatOrder(10), cost: 10 };
  assert.equal(await through(oneRequest(a.ledger, order), { clocks: [a.clock] }), "served");
  // It is silent all the same, and then its time comes.
  await b.clock.advance(60_000);
  assert.deepEqual((await listInstances(store)).map(({ id }) => id), ["b-0"]);
  await a.ledger.close();
  await b.ledger.close();
});

Deno.test("Ledger admits nothing after 20 seconds without a renewal, and again after one", async () => {
  const inner = memoryStore();
  let broken = false;
  const commit: Store["commit"] = (wanted) => {
    if (broken && wanted.puts?.some(({ key }) => key[0] === "instances")) {
      return Promise.reject(new StoreError("unavailable", "no renewals today"));
    }
    return inner.commit(wanted);
  };
  const { ledger, clock } = await instance({ ...withoutSignals(inner), commit }, "a");
  const billing = billingOf(limitOf(10_000));
  const aborted: string[] = [];
  const running = openTransaction(ledger, { billing, onAbort: (reason) => aborted.push(reason) });
  await through(running.transaction.reserve(flatOrder(100)), { clocks: [clock] });
  broken = true;
  await clock.advance(19_000);
  await openTransaction(ledger).transaction.reserve(flatOrder(1));
  assert.deepEqual(aborted, []);
  await clock.advance(6_000);
  assert.equal(aborted.length, 1);
  await assert.rejects(openTransaction(ledger).transaction.reserve(flatOrder(1)), { kind: "unavailable" });
  broken = false;
  await clock.advance(6_000);
  await openTransaction(ledger).transaction.reserve(flatOrder(1));
  await running.close({ status: "failed" });
  await ledger.close();
  assert.equal(clock.open, 0);
});

Deno.test("Ledger writes what it holds down before it gives a part of a limit back, asked for it or not", async () => {
  const store = memoryStore();
  const a = await instance(store, "a");
  const b = await instance(store, "b");
  const billing = billingOf(limitOf(10_000));
  const held = openTransaction(a.ledger, { billing, id: "gen-held" });
  const reservation = await through(held.transaction.reserve(flatOrder(1_000)), { clocks: [b.clock] });
  const other = openTransaction(b.ledger, { billing });
  const before = (await recoverJournal(store, "a-0")).open;
  // The clock of the first one stands still: no time of its own makes it write.
  await through(other.transaction.reserve(flatOrder(9_000)), { clocks: [b.clock] });
  const { open } = await recoverJournal(store, "a-0");
  assert.deepEqual([before, open].map((some) => some.map(({ id }) => id)), [[], ["gen-held"]]);
  reservation.release();
  for (const { close } of [held, other]) await close();
  for (const { ledger } of [a, b]) await ledger.close();
  await assertSound(store, { instances: named("a", "b"), scopes: SCOPES, seen: [held.id, other.id] });
  assert.equal(a.clock.open + b.clock.open, 0);
});

Deno.test("Ledger keeps to a limit that was lowered, whatever it had been granted before", async () => {
  const store = memoryStore();
  const a = await instance(store, "a");
  const b = await instance(store, "b");
  const clocks = [a.clock, b.clock];
  const before = billingOf(limitOf(100_000));
  for (const { ledger } of [a, b]) {
    assert.equal(
      await through(oneRequest(ledger, { billing: before, request: flatOrder(900), cost: 900 }), { clocks }),
      "served",
    );
  }
  const after = billingOf(limitOf(3_000));
  const request = flatOrder(800);
  const outcomes = await through(
    Promise.all([a, b, a, b].map(({ ledger }) => oneRequest(ledger, { billing: after, request, cost: 800 }))),
    { clocks, ms: 250 },
  );
  assert.equal(outcomes.filter((one) => one === "served").length, 1);
  assert.equal((await a.ledger.readSpend(KEY_SCOPE)).lifetime.cost, 2_600);
  for (const { ledger } of [a, b]) await ledger.close();
  await assertSound(store, { instances: named("a", "b"), scopes: SCOPES, seen: [] });
});

Deno.test("openLedger takes over from the instance whose receipts it finds in the spool", async () => {
  const store = memoryStore();
  const spool = await Deno.makeTempDir();
  let broken = false;
  const fails = () => Promise.reject(new StoreError("unavailable", "the store is away"));
  const mine: Store = {
    ...withoutSignals(store),
    commit: (wanted) => broken ? fails() : store.commit(wanted),
  };
  const work = new RealWork();
  using _ = countFiles(work);
  const clock = storeClock(work);
  const limits = { failMs: 1_000 };
  const first = await openLedger({
    store: mine,
    runtime: ledgerRuntime(clock, "a"),
    projectionParts: [],
    isShared: true,
    spool,
    limits,
  });
  const billing = billingOf(limitOf(10_000));
  const done = openTransaction(first, { billing, id: "gen-done" });
  const reservation = await through(done.transaction.reserve(flatOrder(1_000)), { clocks: [clock] });
  await reservation.durable();
  const cut = openTransaction(first, { billing, id: "gen-cut" });
  await (await cut.transaction.reserve(flatOrder(1_000))).durable();
  broken = true;
  reservation.settle({ cost: nano(700), byok: nano(0) });
  await through(done.close(), { clocks: [clock], ms: 250 });
  await first.close();
  assert.deepEqual((await listInstances(store)).map(({ id }) => id), named("a"));

  const other = await openLedger({
    store,
    runtime: ledgerRuntime(storeClock(work), "b"),
    projectionParts: [],
    isShared: true,
    spool,
  });
  assert.deepEqual((await listInstances(store)).map(({ id }) => id), named("b"));
  assert.deepEqual([...Deno.readDirSync(spool)], []);
  const scopes = [...SCOPES];
  const closes = await assertSound(store, {
    instances: named("a", "b"),
    scopes,
    seen: ["gen-done", "gen-cut"],
  });
  assert.deepEqual(closes.map(({ receipt }) => [receipt.id, receipt.status, receipt.cost]).sort(), [
    ["gen-cut", "interrupted", 100],
    ["gen-done", "completed", 700],
  ]);
  await other.close();
  await Deno.remove(spool, { recursive: true });
});
