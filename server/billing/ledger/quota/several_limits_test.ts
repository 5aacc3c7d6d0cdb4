/**
 * A request under several limits on a store that takes its time: their quotas are asked for at once, so that no number
 * of limits takes longer than one, and nobody is refused where nothing is spent or held (promises M1, M2).
 */

import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { memoryClock, type SteppedClock } from "../../../../tests/support/clock.ts";
import { chaosStore } from "../../../../tests/support/chaos_store.ts";
import {
  flatOrder,
  ledgerRuntime,
  limitOf,
  nano,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { openLedger } from "../core/open_ledger.ts";
import type { BillingContext, Ledger, LimitPeriod, SpendingLimit } from "../core/ledger.ts";

const STEP_MS = 10;
const AMOUNT = 1_000;
/** Amount that a limited call takes of each limit. */
const LARGE = 600;

const scopes = ["key:a", "workspace:w", "guardrail:g:a", "account"];
const periods: readonly LimitPeriod[] = ["daily", "monthly"];
const limits: readonly SpendingLimit[] = scopes.flatMap((scope) =>
  periods.map((period) => limitOf(AMOUNT, { scope, period }))
);

const billingOf = (count: number): BillingContext => ({ scopes, limits: limits.slice(0, count) });

interface Instance {
  readonly clock: SteppedClock;
  readonly ledger: Ledger;
}

/** Turns the clocks until the work is done; how long that took, ms. */
async function lasted(clocks: readonly SteppedClock[], work: Promise<unknown>): Promise<number> {
  let done = false;
  work.then(() => done = true, () => done = true);
  let ms = 0;
  for (; !done; ms += STEP_MS) {
    assert.ok(ms < 60_000, "it does not end");
    await Promise.all(clocks.map((clock) => clock.advance(STEP_MS)));
  }
  await work;
  return ms;
}

/** Each call of an instance takes so many ms. */
async function join(store: Store, { name, ms }: { readonly name: string; readonly ms: number }) {
  const clock = memoryClock();
  const slow = chaosStore(store, { clock, plan: () => ms === 0 ? undefined : { type: "delay", ms } });
  const opening = openLedger({
    store: slow,
    runtime: ledgerRuntime(clock, name),
    projectionParts: [],
    isShared: true,
  });
  await lasted([clock], opening);
  return { clock, ledger: await opening } satisfies Instance;
}

async function closeAll(instances: readonly Instance[]): Promise<void> {
  const clocks = instances.map(({ clock }) => clock);
  await lasted(clocks, Promise.all(instances.map(({ ledger }) => ledger.close())));
}

/** One call of one request: how long it waited for its money, ms. */
async function reserveOnce(
  { clock, ledger }: Instance,
  { count, amount, clocks = [clock] }: {
    readonly count: number;
    readonly amount: number;
    readonly clocks?: readonly SteppedClock[];
  },
): Promise<number> {
  const { transaction, close } = openTransaction(ledger, { billing: billingOf(count), at: clock.now() });
  const reserving = transaction.reserve(flatOrder(amount));
  const ms = await lasted(clocks, reserving);
  (await reserving).settle({ cost: nano(0), byok: nano(0) });
  await lasted(clocks, close());
  return ms;
}

for (const ms of [0, 50, 200, 300, 700, 1_200]) {
  Deno.test(`a reservation takes as long under eight limits as under one, store calls taking ${ms} ms`, async () => {
    const times: number[] = [];
    for (let count = 1; count <= limits.length; count++) {
      const instance = await join(memoryStore(), { name: "a", ms });
      times.push(await reserveOnce(instance, { count, amount: LARGE }));
      await closeAll([instance]);
    }
    assert.deepEqual(times, times.map(() => times[0]));
  });
}

for (const ms of [0, 50, 150, 250, 350]) {
  Deno.test(`no number of limits refuses what another instance only has on hand, store calls taking ${ms} ms`, async () => {
    for (let count = 1; count <= limits.length; count++) {
      const store = memoryStore();
      const first = await join(store, { name: "a", ms });
      // It is alone, so that it takes all there is ahead.
      await reserveOnce(first, { count, amount: LARGE });
      const second = await join(store, { name: "b", ms });
      const clocks = [first.clock, second.clock];
      await reserveOnce(second, { count, amount: LARGE, clocks });
      await closeAll([first, second]);
    }
  });
}

/** Everybody at once, each in another order of limits; those that are told to come again do. */
async function reserveTogether(instances: readonly Instance[], count: number): Promise<void> {
  const clocks = instances.map(({ clock }) => clock);
  const served = new Set<Instance>();
  for (let round = 0; served.size < instances.length; round++) {
    assert.ok(served.size >= round, `nobody went on in round ${round}`);
    const waiting = instances.filter((one) => !served.has(one));
    const work = waiting.map(async (one) => {
      const { ledger, clock } = one;
      const order = limits.slice(0, count);
      if (instances.indexOf(one) % 2 === 1) order.reverse();
      const { transaction, close } = openTransaction(ledger, {
        billing: { scopes, limits: order },
        at: clock.now(),
      });
      try {
        (await transaction.reserve(flatOrder(LARGE))).release();
        served.add(one);
      } catch (error) {
        assert.ok(error instanceof ApiError && error.details.retryAfter !== undefined, String(error));
      }
      await close();
    });
    await lasted(clocks, Promise.all(work));
  }
}

for (const ms of [0, 1, 50, 150, 250]) {
  Deno.test(`of instances that are in each other's way one goes on, store calls taking ${ms} ms`, async () => {
    for (let count = 1; count <= limits.length; count++) {
      const store = memoryStore();
      const names = ["a", "b", "c"].slice(0, 2 + count % 2);
      const instances: Instance[] = [];
      for (const name of names) instances.push(await join(store, { name, ms }));
      await reserveTogether(instances, count);
      await closeAll(instances);
    }
  });
}

interface Reserving {
  readonly amount: number;
  readonly limits: readonly SpendingLimit[];
}

Deno.test("a reservation that finds too little takes nothing from one that waits for another limit", async () => {
  const inner = memoryStore();
  const clocks = [memoryClock(), memoryClock()] as const;
  const store = chaosStore(inner, { clock: clocks[0] });
  const open = (at: 0 | 1, store: Store) =>
    openLedger({ store, runtime: ledgerRuntime(clocks[at], `${at}`), projectionParts: [], isShared: true });
  const ledgers = [await open(0, store), await open(1, inner)] as const;
  const key = limitOf(1_000, { scope: "key:a" });
  const workspace = limitOf(1_200, { scope: "workspace:w" });
  const reserve = (at: 0 | 1, { amount, limits }: Reserving) => {
    const billing = { scopes: limits.map(({ scope }) => scope), limits };
    const { transaction, close } = openTransaction(ledgers[at], { billing, at: clocks[at].now() });
    return { reserving: transaction.reserve(flatOrder(amount)), close };
  };
  const held = [
    reserve(1, { amount: 300, limits: [key] }),
    reserve(1, { amount: 1_000, limits: [workspace] }),
  ];
  await lasted(clocks, Promise.all(held.map(({ reserving }) => reserving)));
  // Enough of the key's limit is left for the first of them, and not for the second.
  const small = reserve(0, { amount: 250, limits: [key, workspace] });
  const large = reserve(0, { amount: 900, limits: [key] });
  await lasted(clocks, clocks[0].advance(100));
  const before = store.calls.length;
  for (let turn = 0; turn < 20; turn++) await Promise.all(clocks.map((clock) => clock.advance(100)));
  const calls = store.calls.length - before;
  assert.ok(calls < 100, `${calls} calls in 2 s`);
  for (const { reserving } of held) (await reserving).release();
  // In whichever order: each is over at once.
  const ended = [small, large].map(async ({ reserving }) => (await reserving).release());
  await lasted(clocks, Promise.all(ended));
  await lasted(clocks, Promise.all([...held, small, large].map(({ close }) => close())));
  await lasted(clocks, Promise.all(ledgers.map((ledger) => ledger.close())));
});
