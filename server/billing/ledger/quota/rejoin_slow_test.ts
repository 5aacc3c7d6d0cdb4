import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { memoryClock, type SteppedClock } from "../../../../tests/support/clock.ts";
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
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { UsageCounters } from "../usage/usage_counters.ts";
import { JOURNAL_ROWS } from "../journal/journal_batch.ts";
import { listInstances } from "./instances.ts";
import type { Ledger } from "../core/ledger.ts";
import { openLedger } from "../core/open_ledger.ts";

interface Instance {
  readonly ledger: Ledger;
  readonly clock: SteppedClock;
  readonly lines: string[];
}

async function instance(store: Store, name: string): Promise<Instance> {
  const clock = memoryClock();
  const runtime = ledgerRuntime(clock, name);
  const parts = [new UsageCounters({ start: name })];
  return {
    ledger: await openLedger({ store, runtime, projectionParts: parts, isShared: true }),
    clock,
    lines: runtime.lines,
  };
}

/** Turns the clock until the work is done. */
async function through<T>(work: Promise<T>, clocks: readonly SteppedClock[]): Promise<T> {
  let done = false;
  work.then(() => done = true, () => done = true);
  for (let turn = 0; turn < 2_000 && !done; turn++) await Promise.all(clocks.map((one) => one.advance(100)));
  assert.ok(done, "it does not end");
  return await work;
}

const billing = billingOf(limitOf(10_000));
const unavailable = (error: unknown) => error instanceof ApiError && error.status === 503;

Deno.test("Ledger goes on under another name when it was taken for dead, and no limit is passed", async () => {
  const store = memoryStore();
  const a = await instance(store, "a");
  const b = await instance(store, "b");
  const stuck = openTransaction(a.ledger, { billing, id: "gen-held" });
  const reservation = await through(stuck.transaction.reserve(flatOrder(6_000)), [a.clock, b.clock]);
  await reservation.durable();
  reservation.progress({ cost: nano(2_000), byok: nano(0) });
  await a.ledger.flush();
  // It stands still, and is closed by the other one.
  await b.clock.advance(90_000);
  assert.equal((await b.ledger.readSpend(KEY_SCOPE)).lifetime.cost, 2_000);
  await a.clock.advance(20_000);
  reservation.settle({ cost: nano(6_000), byok: nano(0) });
  await assert.rejects(stuck.close(), unavailable);
  await a.clock.advance(10_000);
  assert.equal(a.ledger.unavailableReason, undefined);
  assert.equal((await listInstances(store)).length, 2);
  assert.equal((await a.ledger.readSpend(KEY_SCOPE)).lifetime.cost, 2_000);
  const flatCall = { billing, request: flatOrder(1_000), cost: 1_000 };
  const both = Array.from(
    { length: 12 },
    (_, at) => oneRequest(at % 2 === 0 ? a.ledger : b.ledger, flatCall),
  );
  const outcomes = await through(Promise.all(both), [a.clock, b.clock]);
  assert.equal(outcomes.filter((one) => one === "served").length, 8);
  assert.equal((await a.ledger.readSpend(KEY_SCOPE)).lifetime.cost, 10_000);
  await through(Promise.all([a.ledger.close(), b.ledger.close()]), [a.clock, b.clock]);
  assert.equal((await listInstances(store)).length, 0);
  const names = [
    ...new Set((await store.list([JOURNAL_ROWS], { limit: 1_000 })).map(({ key }) => String(key[1]))),
  ];
  assert.equal(names.length, 3);
  const closes = await assertSound(store, { instances: names, scopes: [...billing.scopes], seen: [] });
  assert.deepEqual(closes.filter(({ receipt }) => receipt.id === "gen-held").map(({ cost }) => cost), [
    2_000,
  ]);
  const counted = (await store.list(["usage_day"], { limit: 100 })).map(({ value }) => JSON.stringify(value));
  assert.ok(counted.length > 0 && a.clock.open + b.clock.open === 0);
});

Deno.test("Ledger tries to come back until the store takes it, and stops when it is closed", async () => {
  const inner = memoryStore();
  let full = false;
  let refused = 0;
  const commit: Store["commit"] = (wanted) => {
    const begins = wanted.checks?.some(({ key, version }) => key[0] === "instances" && version === null);
    if (!full || begins !== true) return inner.commit(wanted);
    refused++;
    return Promise.reject(new StoreError("unavailable", "nobody begins today"));
  };
  const store: Store = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (prefix, options) => inner.list(prefix, options),
    commit,
    health: () => inner.health(),
    close: () => inner.close(),
  };
  const a = await instance(store, "a");
  const b = await instance(inner, "b");
  full = true;
  await b.clock.advance(90_000);
  await a.clock.advance(20_000);
  assert.match(a.ledger.unavailableReason ?? "", /lease of this instance is over/);
  await assert.rejects(openTransaction(a.ledger).transaction.reserve(flatOrder(1)), unavailable);
  assert.ok(refused > 2, String(refused));
  full = false;
  await a.clock.advance(31_000);
  assert.equal(a.ledger.unavailableReason, undefined, a.lines.join("\n"));
  const flatCall = { billing, request: flatOrder(5), cost: 5 };
  assert.equal(await through(oneRequest(a.ledger, flatCall), [a.clock]), "served");
  full = true;
  await b.clock.advance(90_000);
  await a.clock.advance(20_000);
  assert.notEqual(a.ledger.unavailableReason, undefined);
  await through(a.ledger.close(), [a.clock]);
  const tries = refused;
  await a.clock.advance(60_000);
  assert.deepEqual([a.clock.open, refused], [0, tries]);
  await b.ledger.close();
});
