/**
 * Instances on one store, at random speeds, some of which stop for good or fail now and then: no limit is passed,
 * nothing is lost and nothing doubled.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import type {
  Ledger,
  LedgerTransaction,
  Reservation,
  SpendingLimit,
} from "../../server/billing/ledger/core/ledger.ts";
import { listInstances } from "../../server/billing/ledger/quota/instances.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { withStoreDeadline } from "../../server/storage/stores/store_deadline.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { chaosStore, type Fault } from "../support/chaos_store.ts";
import { memoryClock, type SteppedClock } from "../support/clock.ts";
import { assertSound, spentRows } from "../support/journal.ts";
import { costBoundOf, ledgerRuntime, limitOf, nano, openTransaction, orderOf } from "../support/ledger.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const SCOPES = ["key:a", "account"];
const LIMITS: readonly SpendingLimit[] = [
  limitOf(3_000, { scope: "key:a" }),
  limitOf(5_000, { scope: "account", source: "credits" }),
];

interface Instance {
  readonly name: string;
  readonly clock: SteppedClock;
  readonly ledger: Ledger;
  readonly heal: () => void;
  readonly open: {
    readonly transaction: LedgerTransaction;
    readonly id: string;
    readonly close: () => Promise<void>;
    readonly holds: Reservation[];
  }[];
  /** It stands still: its clock is never turned again. */
  stopped: boolean;
  readonly still: PromiseWithResolvers<void>;
}

const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant<Fault>({ type: "before" }) },
  { weight: 1, arbitrary: fc.constant<Fault>({ type: "after" }) },
  { weight: 1, arbitrary: fc.constant<Fault>({ type: "twice" }) },
);

const which = fc.nat(2);
const reserve = fc.record({
  type: fc.constant("reserve" as const),
  which,
  amount: fc.integer({ min: 1, max: 1_500 }),
});
const settle = fc.record({
  type: fc.constant("settle" as const),
  which,
  part: fc.constantFrom(0, 0.3, 1, 1, 1),
});
const close = fc.record({ type: fc.constant("close" as const), which });
const turn = fc.record({
  type: fc.constant("turn" as const),
  which,
  ms: fc.constantFrom(1, 50, 300, 2_000, 5_000),
});
const stop = fc.record({ type: fc.constant("stop" as const), which });

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: reserve },
    { weight: 4, arbitrary: settle },
    { weight: 3, arbitrary: close },
    { weight: 6, arbitrary: turn },
    { weight: 1, arbitrary: stop },
  ),
  { minLength: 30, maxLength: 80 },
);
type Step = (typeof steps extends fc.Arbitrary<infer S> ? S : never) extends readonly (infer One)[] ? One
  : never;

async function start(
  store: Store,
  { name, faults }: { readonly name: string; readonly faults: readonly (Fault | undefined)[] },
) {
  const clock = memoryClock();
  const plan = ({ index }: { readonly index: number }) => faults[index % faults.length];
  const chaos = chaosStore(store, { clock, plan });
  const own = withStoreDeadline(chaos, { clock });
  const heal = () => chaos.follow(() => undefined);
  const opening = openLedger({
    store: own,
    runtime: ledgerRuntime(clock, name),
    projectionParts: [],
    isShared: true,
  });
  return {
    name,
    clock,
    ledger: await opening,
    heal,
    open: [],
    stopped: false,
    still: Promise.withResolvers<void>(),
  } satisfies Instance;
}

class Cluster {
  readonly seen = new Set<string>();
  readonly #pending: Promise<unknown>[] = [];

  constructor(readonly instances: readonly Instance[], readonly store: Store) {}

  async apply(step: Step): Promise<void> {
    const one = this.instances[step.which];
    if (!one || one.stopped) return;
    switch (step.type) {
      case "reserve":
        return this.#reserve(one, step.amount);
      case "settle": {
        const reservation = one.open.find(({ holds }) => holds.length > 0)?.holds.pop();
        reservation?.settle({ cost: nano(Math.floor(reservation.reserved * step.part)), byok: nano(0) });
        return;
      }
      case "close":
        return this.#close(one);
      case "turn":
        return await one.clock.advance(step.ms);
      case "stop":
        // The first one stays, to close what the others have left.
        if (one === this.instances[0]) return;
        one.stopped = true;
        one.still.resolve();
        return;
      default:
        return step satisfies never;
    }
  }

  /** Time enough for everyone who stands still to be found dead and closed. */
  async bury(): Promise<void> {
    const alive = this.instances.filter(({ stopped }) => !stopped);
    for (const { heal } of alive) heal();
    for (let turn = 0; turn < 100; turn++) {
      await Promise.all(alive.map(({ clock }) => clock.advance(5_000)));
      // Those who stand still are closed, and nobody waits for money any more.
      const rows = await listInstances(this.store);
      const names = new Set(alive.map(({ name }) => `${name}-0`));
      if (turn > 2 && rows.every(({ id, reaper }) => names.has(id) && reaper === undefined)) return;
    }
    assert.fail("the dead are not closed");
  }

  async finish(): Promise<void> {
    await this.bury();
    const alive = this.instances.filter(({ stopped }) => !stopped);
    for (const one of alive) while (one.open.length > 0) this.#close(one);
    for (let turn = 0; turn < 4; turn++) await Promise.all(alive.map(({ clock }) => clock.advance(2_000)));
    await Promise.all(this.#pending);
    for (const { ledger, clock } of alive) {
      let closed = false;
      const closing = ledger.close().then(() => closed = true);
      for (let turn = 0; turn < 40 && !closed; turn++) await clock.advance(250);
      await closing;
    }
  }

  #reserve(one: Instance, amount: number): void {
    const { transaction, id, close } = openTransaction(one.ledger, {
      billing: { scopes: SCOPES, limits: LIMITS },
      at: one.clock.now(),
    });
    const request = { transaction, id, close: () => close(), holds: [] as Reservation[] };
    one.open.push(request);
    const reserved = transaction.reserve(orderOf(costBoundOf(amount, 0))).then(
      (reservation) => request.holds.push(reservation),
      (error: unknown) => {
        const { kind } = error as { readonly kind?: unknown };
        assert.ok(kind === "payment_required" || kind === "unavailable", String(error));
      },
    );
    if (!one.stopped) this.#wait(one, reserved);
  }

  #close(one: Instance): void {
    const paid = one.open.findIndex(({ transaction }) => transaction.settled.cost > 0);
    const [request] = one.open.splice(Math.max(0, paid), 1);
    if (!request) return;
    this.#wait(
      one,
      request.close().then(() => this.seen.add(request.id), (error: unknown) => {
        assert.equal((error as { readonly kind?: unknown }).kind, "unavailable");
      }),
    );
  }

  /** Waits for work of an instance; that of one which stands still does not end. */
  #wait(one: Instance, work: Promise<unknown>): void {
    this.#pending.push(Promise.race([work, one.still.promise]));
  }
}

Deno.test(`Ledgers on one store keep every limit, whoever stops and whatever fails (SEED=${seed})`, async () => {
  const property = fc.asyncProperty(
    steps,
    steps,
    fc.array(fault, { minLength: 40, maxLength: 80 }),
    async (before, after, faults) => {
      const store = memoryStore();
      const instances: Instance[] = [];
      for (const [at, name] of ["a", "b", "c"].entries()) {
        // The beginning succeeds, so that there is somebody to fail later.
        const own = [...Array<undefined>(12).fill(undefined), ...faults.slice(at * 3)];
        instances.push(await start(store, { name, faults: own }));
      }
      const cluster = new Cluster(instances, store);
      for (const step of before) await cluster.apply(step);
      await cluster.bury();
      for (const step of after) await cluster.apply(step);
      await cluster.finish();
      for (const { scope, amount } of LIMITS) {
        const [spent = 0] = (await spentRows(store, scope)).get("lifetime") ?? [];
        assert.ok(spent <= amount, `${scope} has spent ${spent} of ${amount}`);
      }
      await assertSound(store, {
        instances: instances.map(({ name }) => `${name}-0`),
        scopes: SCOPES,
        seen: cluster.seen,
      });
    },
  );
  await assertProperty(property, { numRuns: runs(20) });
});
