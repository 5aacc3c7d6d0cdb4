/** Random requests in random order: no limit is ever passed, and the counters are the fold of the journal. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type {
  Ledger,
  LedgerTransaction,
  Reservation,
  SpendingLimit,
} from "../../server/billing/ledger/core/ledger.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { memoryClock, type SteppedClock } from "../support/clock.ts";
import { assertSound } from "../support/journal.ts";
import { costBoundOf, ledgerRuntime, limitOf, nano, openTransaction, orderOf } from "../support/ledger.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const SCOPES = ["key:a", "key:b", "workspace:w", "account"];

const limits: readonly SpendingLimit[] = [
  limitOf(3_000, { scope: "key:a", period: "daily" }),
  limitOf(9_000, { scope: "workspace:w", period: "weekly", source: "workspace_budget" }),
  limitOf(7_000, { scope: "account", source: "credits", includeByok: true }),
];

interface Open {
  readonly transaction: LedgerTransaction;
  readonly key: string;
  readonly close: () => Promise<void>;
  readonly holds: Reservation[];
  reserving: number;
}

/** One life of requests, and what has become of it. */
class Model {
  readonly open: Open[] = [];
  readonly seen = new Set<string>();
  readonly pending: Promise<void>[] = [];
  readonly #own = new Map<Reservation, boolean>();

  constructor(readonly ledger: Ledger, readonly clock: SteppedClock) {}

  start(key: string): void {
    const scopes = [key, "workspace:w", "account"];
    const billing = { scopes, limits: limits.filter(({ scope }) => scopes.includes(scope)) };
    const { transaction, id, close } = openTransaction(this.ledger, {
      billing,
      at: this.clock.now(),
    });
    const closed = () => close().then(() => void this.seen.add(id));
    this.open.push({ transaction, key, close: closed, holds: [], reserving: 0 });
  }

  reserve(which: number, { input, perToken, requestedMaxTokens, byok }: Preference): void {
    const one = this.#pick(which);
    if (!one) return;
    one.reserving++;
    const reserved = one.transaction.reserve(
      orderOf(costBoundOf(input, perToken), { requestedMaxTokens, byok }),
    ).then(
      (reservation) => {
        one.holds.push(reservation);
        this.#own.set(reservation, byok);
      },
      (error: unknown) => assert.equal((error as { readonly kind?: unknown }).kind, "payment_required"),
    );
    this.pending.push(reserved.finally(() => one.reserving--));
  }

  settle(which: number, part: number): void {
    const holding = this.open.filter(({ holds }) => holds.length > 0);
    const reservation = holding[which % holding.length]?.holds.pop();
    if (!reservation) return;
    const cost = nano(Math.floor(reservation.reserved * part));
    const own = this.#own.get(reservation) ?? false;
    reservation.settle(own ? { cost: nano(0), byok: cost } : { cost, byok: nano(0) });
  }

  end(which: number): void {
    const one = this.#pick(which);
    if (!one || one.reserving > 0) return;
    this.open.splice(this.open.indexOf(one), 1);
    this.pending.push(one.close());
  }

  async finish(): Promise<void> {
    for (let turn = 0; turn < 12; turn++) await this.clock.advance(500);
    await Promise.all(this.pending);
    await Promise.all(this.open.splice(0).map((one) => one.close()));
  }

  #pick(which: number): Open | undefined {
    return this.open.length === 0 ? undefined : this.open[which % this.open.length];
  }
}

interface Preference {
  readonly input: number;
  readonly perToken: number;
  readonly requestedMaxTokens: number;
  readonly byok: boolean;
}

const reserve = fc.record({
  type: fc.constant("reserve" as const),
  which: fc.nat(20),
  wish: fc.record({
    input: fc.integer({ min: 0, max: 1_500 }),
    perToken: fc.nat(4),
    requestedMaxTokens: fc.integer({ min: 1, max: 1_000 }),
    byok: fc.boolean(),
  }),
});
const settle = fc.record({
  type: fc.constant("settle" as const),
  which: fc.nat(20),
  part: fc.constantFrom(0, 0.3, 0.99, 1, 1, 1),
});
const start = fc.record({
  type: fc.constant("start" as const),
  key: fc.constantFrom("key:a", "key:a", "key:b"),
});
const end = fc.record({ type: fc.constant("end" as const), which: fc.nat(20) });
const wait = fc.record({
  type: fc.constant("wait" as const),
  ms: fc.constantFrom(0, 1, 1, 1, 700, 5_000, 3_600_000, 90_000_000),
});

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: start },
    { weight: 6, arbitrary: reserve },
    { weight: 5, arbitrary: settle },
    { weight: 1, arbitrary: end },
    { weight: 1, arbitrary: wait },
  ),
  { minLength: 60, maxLength: 160 },
);

async function assertWithin(ledger: Ledger): Promise<void> {
  for (const { scope, period, amount, includeByok } of limits) {
    const { cost, byok } = (await ledger.readSpend(scope))[period];
    const spent = cost + (includeByok ? byok : 0);
    assert.ok(spent <= amount, `${scope} has spent ${spent} of ${amount}`);
  }
}

Deno.test(`Ledger keeps every limit and every receipt, whatever happens in whatever order (SEED=${seed})`, async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    const clock = memoryClock(Date.UTC(2026, 11, 30, 22));
    const store = memoryStore();
    const runtime = ledgerRuntime(clock);
    const ledger = await openLedger({
      store,
      runtime,
      projectionParts: [],
      isShared: false,
      limits: { restateAfter: 4 },
    });
    const model = new Model(ledger, clock);
    for (const step of all) {
      if (step.type === "start") model.start(step.key);
      if (step.type === "reserve") model.reserve(step.which, step.wish);
      if (step.type === "settle") model.settle(step.which, step.part);
      if (step.type === "end") model.end(step.which);
      if (step.type === "wait") await clock.advance(step.ms);
      await assertWithin(ledger);
    }
    await model.finish();
    await assertWithin(ledger);
    await ledger.close();
    assert.equal(clock.open, 0);
    await assertSound(store, { instances: ["own"], scopes: SCOPES, seen: model.seen, now: clock.now() });
  });
  await assertProperty(property, { numRuns: runs(60) });
});
