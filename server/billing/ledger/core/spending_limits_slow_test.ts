/** Limits under crowds, and over every boundary of the calendar (promises M1, M3). */

import assert from "node:assert/strict";
import { memoryClock, type SteppedClock, storeClock } from "../../../../tests/support/clock.ts";
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
import { ApiError } from "../../../../shared/errors.ts";
import { countedStore, RealWork } from "../../../../tests/support/real_work.ts";
import { tickingClock } from "../../../../tests/support/ticking_clock.ts";
import { denoKvStore } from "../../../storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { LimitPeriod } from "./ledger.ts";
import { openLedger } from "./open_ledger.ts";

interface Opened {
  readonly store: Store;
  readonly clock: SteppedClock;
}

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: () => Promise.resolve({ store: memoryStore(), clock: memoryClock() }),
  "Deno KV": async () => {
    const work = new RealWork();
    const store = denoKvStore({ kv: await Deno.openKv(":memory:"), clock: tickingClock() });
    return { store: countedStore(store, work), clock: storeClock(work) };
  },
};

for (const [kind, open] of Object.entries(stores)) {
  Deno.test(`Ledger serves 95 of 100 affordable requests to 1,000 at once, and none too many (${kind})`, async () => {
    const { store, clock } = await open();
    const ledger = await openLedger({
      store,
      runtime: ledgerRuntime(clock),
      projectionParts: [],
      isShared: false,
    });
    const cost = 333_333;
    const limit = limitOf(100 * cost + 7);
    const during = () => new Promise<void>((resolve) => void clock.after(20, resolve));
    const flatCall = { billing: billingOf(limit), request: flatOrder(3 * cost), cost, during };
    const requests = Promise.all(Array.from({ length: 1_000 }, () => oneRequest(ledger, flatCall)));
    let done = false;
    requests.then(() => done = true, () => done = true);
    let highest = 0;
    while (!done) {
      await clock.advance(20);
      highest = Math.max(highest, (await ledger.readSpend(KEY_SCOPE)).lifetime.cost);
    }
    const outcomes = await requests;
    const served = outcomes.filter((one) => one === "served").length;
    const { cost: spent } = (await ledger.readSpend(KEY_SCOPE)).lifetime;
    assert.equal(spent, served * cost);
    assert.ok(highest <= limit.amount && spent <= limit.amount, `${spent} of ${limit.amount}`);
    assert.ok(served >= 95, `${served} were served`);
    for (const one of outcomes) assert.ok(one === "served" || one.status === 402);
    await ledger.close();
    await store.close();
  });
}

Deno.test("Ledger lets 1,000 wait in one scope and no more", async () => {
  const clock = memoryClock();
  const store = memoryStore();
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  const billing = billingOf(limitOf(1_000));
  const first = openTransaction(ledger, { billing });
  await first.transaction.reserve(flatOrder(1_000));
  let refused = 0;
  const waiting = Array.from({ length: 1_100 }, () => openTransaction(ledger, { billing }))
    .map(({ transaction }) =>
      transaction.reserve(flatOrder(500)).catch(() => {
        // Counted: the test is about how many.
        refused++;
      })
    );
  await clock.advance(0);
  assert.equal(refused, 100);
  await clock.advance(5_000);
  await Promise.all(waiting);
  assert.equal(refused, 1_100);
  await first.close();
  await ledger.close();
});

/** The last moment of a bucket, and the periods whose buckets end with it. */
const boundaries: readonly (readonly [string, readonly LimitPeriod[]])[] = [
  ["2026-11-21T23:59:59.999Z", ["daily"]],
  ["2026-11-22T23:59:59.999Z", ["daily", "weekly"]],
  ["2026-11-30T23:59:59.999Z", ["daily", "monthly"]],
  ["2026-12-31T23:59:59.999Z", ["daily", "monthly"]],
  ["2027-01-03T23:59:59.999Z", ["daily", "weekly"]],
  ["2027-01-31T23:59:59.999Z", ["daily", "weekly", "monthly"]],
  ["2028-02-28T23:59:59.999Z", ["daily"]],
  ["2028-02-29T23:59:59.999Z", ["daily", "monthly"]],
];

for (const [moment, ended] of boundaries) {
  Deno.test(`Ledger resets ${ended.join(", ")} after ${moment}, with requests in flight`, async () => {
    const clock = memoryClock(Date.parse(moment));
    const store = memoryStore();
    const runtime = ledgerRuntime(clock);
    const ledger = await openLedger({ store, runtime, projectionParts: [], isShared: false });
    for (const period of ["daily", "weekly", "monthly", "lifetime"] as const) {
      const scope = `key:${period}`;
      const billing = { scopes: [scope], limits: [limitOf(1_000, { scope, period })] };
      const before = openTransaction(ledger, { billing, at: Date.parse(moment) });
      const reservation = await before.transaction.reserve(flatOrder(1_000));
      await reservation.durable();
      const at = Date.parse(moment) + 1;
      const after = openTransaction(ledger, { billing, at });
      const reset = ended.includes(period);
      if (reset) {
        (await after.transaction.reserve(flatOrder(1_000))).settle({ cost: nano(900), byok: nano(0) });
      } else {
        const late = assert.rejects(after.transaction.reserve(flatOrder(1_000)), {
          kind: "payment_required",
        });
        await clock.advance(5_000);
        await late;
      }
      reservation.settle({ cost: nano(400), byok: nano(0) });
      await before.close();
      await after.close();
      await clock.advance(1);
      const spend = await ledger.readSpend(scope);
      assert.equal(spend[period].cost, reset ? 900 : 400, period);
      assert.equal(spend.lifetime.cost, reset ? 1_300 : 400);
      const again = openTransaction(ledger, { billing, at: clock.now() });
      await again.transaction.reserve(flatOrder(reset ? 100 : 600));
      await again.close();
    }
    await ledger.close();
    const reopened = await openLedger({ store, runtime, projectionParts: [], isShared: false });
    assert.equal((await reopened.readSpend("key:daily")).daily.cost, 900);
    await reopened.close();
  });
}

Deno.test("Ledger tells of the limit that has least left, at the door and where a call is to be paid", async () => {
  const clock = memoryClock();
  const store = memoryStore();
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  assert.equal(await oneRequest(ledger, { request: flatOrder(900), cost: 900 }), "served");
  const [key, guardrail, budget] = [
    limitOf(900, { period: "daily" }),
    limitOf(600, { source: "guardrail", name: "The guardrail's limit", id: "g", scope: KEY_SCOPE }),
    limitOf(600, { source: "workspace_budget", name: "The workspace's limit", scope: "account" }),
  ];
  for (
    const [limits, expected] of [
      [[key, guardrail, budget], ["blocked", "guardrail"]],
      [[budget, guardrail, key], ["payment_required", "workspace_budget"]],
      [[key, limitOf(5_000)], ["payment_required", "key"]],
    ] as const
  ) {
    const billing = billingOf(...limits);
    const where = (error: unknown) => {
      assert(error instanceof ApiError);
      assert.deepEqual([error.kind, error.details.metadata?.limit_source], expected);
      return true;
    };
    await assert.rejects(async () => await ledger.admit(billing), where);
    where(await oneRequest(ledger, { billing, request: flatOrder(100), cost: 0 }));
  }
  await ledger.close();
  await store.close();
});
