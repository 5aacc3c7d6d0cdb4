/** State of the ledger after the store, or the process, fails at any moment: nothing is lost, nothing is doubled. */

import assert from "node:assert/strict";
import { memoryClock, type SteppedClock, storeClock } from "../../../../tests/support/clock.ts";
import { assertSound } from "../../../../tests/support/journal.ts";
import {
  billingOf,
  flatOrder,
  ledgerRuntime,
  limitOf,
  nano,
  openTransaction,
} from "../../../../tests/support/ledger.ts";
import { chaosStore, type Fault } from "../../../../tests/support/chaos_store.ts";
import { countFiles, RealWork } from "../../../../tests/support/real_work.ts";
import { withStoreDeadline } from "../../../storage/stores/store_deadline.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { StoreError } from "../../../storage/stores/store.ts";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./open_ledger.ts";

const SCOPES = billingOf().scopes;

/** Fault that the n-th call of the store meets. */
interface Meeting {
  readonly at: number;
  readonly fault: Fault;
  /** It happens to every later call too. */
  readonly forGood: boolean;
}

/** The plan, until the process dies: from then on nothing happens that it has asked for. */
function meet(clock: SteppedClock, { at, fault, forGood }: Meeting) {
  const inner = memoryStore();
  const chaos = chaosStore(inner, {
    clock,
    plan: ({ index }) => index === at || (forGood && index > at) ? fault : undefined,
  });
  return { inner, chaos, store: withStoreDeadline(chaos, { clock }) };
}

interface Outcome {
  /** Requests whose end the clients saw. */
  readonly seen: Set<string>;
  readonly failed: Set<string>;
}

/** Requests that send nothing before their receipt is written, so that they need not ask for more. */
const WHOLE_FROM = 8;

/**
 * Several requests at once: with and without limits, streamed and whole, with progress, two calls, and disconnect.
 */
async function traffic(ledger: Ledger, clock: SteppedClock): Promise<Outcome> {
  const seen = new Set<string>();
  const failed = new Set<string>();
  const requests = Array.from({ length: 12 }, async (_, n) => {
    const billing = n % 2 === 0 ? billingOf() : billingOf(limitOf(10_000));
    const { transaction, id, close } = openTransaction(ledger, { billing, at: clock.now() });
    try {
      const first = await transaction.reserve(flatOrder(1_000 + n));
      if (n < WHOLE_FROM) await first.durable();
      first.progress({ cost: nano(10 * n), byok: nano(0) });
      await clock.advance(1);
      first.settle({ cost: nano(100 + n), byok: nano(0) });
      if (n % 3 === 0) {
        const second = await transaction.reserve(flatOrder(500, { byok: true }));
        if (n < WHOLE_FROM) await second.durable();
        second.settle({ cost: nano(0), byok: nano(50) });
      }
    } catch {
      // Refused while the store fails; it is closed all the same.
    }
    await close().then(() => seen.add(id), () => failed.add(id));
  });
  await through(Promise.all(requests), clock);
  return { seen, failed };
}

/** More than any run takes. */
const TURNS = 2_000;

/** Turns the clock until the work is done. */
async function through<T>(work: Promise<T>, clock: SteppedClock): Promise<T> {
  let done = false;
  work.then(() => done = true, () => done = true);
  for (let turn = 0; turn < TURNS && !done; turn++) await clock.advance(250);
  assert.ok(done, "the requests do not end");
  return await work;
}

interface Trial extends Meeting {
  readonly spool?: string;
}

/** One life with a fault and a second one without. */
async function trial({ spool, ...meeting }: Trial): Promise<Outcome & { readonly calls: number }> {
  const work = new RealWork();
  using _ = countFiles(work);
  const clock = spool === undefined ? memoryClock() : storeClock(work);
  const { inner, chaos, store } = meet(clock, meeting);
  const limits = { restateAfter: 3 };
  const options = { runtime: ledgerRuntime(clock), projectionParts: [], isShared: false, limits, spool };
  let outcome: Outcome = { seen: new Set(), failed: new Set() };
  try {
    const ledger = await through(openLedger({ ...options, store }), clock);
    outcome = await traffic(ledger, clock);
    await end(ledger, clock);
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
  }
  const used = chaos.calls.length;
  const second = await openLedger({ ...options, store: inner });
  const closes = await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen: outcome.seen });
  const later = await traffic(second, clock);
  await second.close();
  const seen = [...outcome.seen, ...later.seen];
  assert.equal(later.failed.size, 0);
  await assertSound(inner, { instances: ["own"], scopes: SCOPES, seen });
  for (const { cost, receipt } of closes) {
    if (receipt.status === "interrupted") assert.ok(receipt.estimated || outcome.failed.has(receipt.id));
    else assert.ok(cost >= 0);
  }
  return { ...outcome, calls: used };
}

/** A process that is killed does not say goodbye; one whose store works does. */
async function end(ledger: Ledger, clock: SteppedClock): Promise<void> {
  await through(ledger.close(), clock);
}

const faults: readonly Fault[] = [
  { type: "before" },
  { type: "after" },
  { type: "twice" },
  { type: "hang", happens: false },
  { type: "hang", happens: true },
];

function nameOf(fault: Fault): string {
  return fault.type === "hang" ? `hang (it ${fault.happens ? "happens" : "does not happen"})` : fault.type;
}

for (const fault of faults) {
  for (const forGood of [false, true]) {
    const name = `${nameOf(fault)}, ${forGood ? "for good" : "once"}`;
    Deno.test(`Ledger loses and doubles nothing whichever call of the store fails: ${name}`, async () => {
      let at = 1;
      for (;; at++) {
        const { calls, failed } = await trial({ fault, forGood, at });
        if (!forGood && at > 2) assert.equal(failed.size, 0, `call ${at}`);
        if (calls < at) break;
      }
      assert.ok(at > 10, `only ${at} calls`);
    });
  }
}

Deno.test("Ledger keeps every receipt in the spool while the store fails for good", async () => {
  for (let at = 3; at < 12; at++) {
    const spool = await Deno.makeTempDir();
    const fault: Fault = at % 2 === 0 ? { type: "hang", happens: true } : { type: "before" };
    const { failed } = await trial({ at, fault, forGood: true, spool });
    assert.equal(failed.size, 0, `call ${at}`);
    assert.deepEqual([...Deno.readDirSync(spool)], []);
    await Deno.remove(spool, { recursive: true });
  }
});
