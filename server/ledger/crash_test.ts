/** What is left after the store, or the process, fails at any moment: nothing is lost, nothing is doubled. */

import assert from "node:assert/strict";
import { type FakeClock, fakeClock } from "../../tests/support/clock.ts";
import { assertSound } from "../../tests/support/journal.ts";
import { flatOrder, ledgerWorld, limitOf, nano, openTab, payerOf } from "../../tests/support/ledger.ts";
import { memoryStore } from "../stores/memory.ts";
import { type Commit, type Store, StoreError } from "../stores/store.ts";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./owner.ts";

const SCOPES = payerOf().scopes;

/** What happens at the n-th call: it does nothing, or only its reply is lost; and whether that was the end. */
interface Fault {
  readonly at: number;
  readonly applied: boolean;
  /** Every later call fails too. */
  readonly forGood: boolean;
}

interface Faulty {
  readonly store: Store;
  readonly calls: () => number;
  /** Everything works again. */
  heal(): void;
}

function faulty(inner: Store, { at, applied, forGood }: Fault): Faulty {
  let calls = 0;
  let healed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const call = calls++;
    if (healed || call < at || (call > at && !forGood)) return await work();
    if (call === at && applied) await work();
    throw new StoreError(applied ? "timeout" : "unavailable", `call ${call} fails`);
  };
  const store: Store = {
    get: (key) => run(() => inner.get(key)),
    getMany: (keys) => run(() => inner.getMany(keys)),
    list: (prefix, options) => run(() => inner.list(prefix, options)),
    commit: (commit: Commit) => run(() => inner.commit(commit)),
    health: () => inner.health(),
    close: () => inner.close(),
  };
  return { store, calls: () => calls, heal: () => healed = true };
}

interface Outcome {
  /** What clients saw the end of. */
  readonly seen: Set<string>;
  readonly failed: Set<string>;
}

/** Several requests at once: with and without limits, with progress, two calls, and hang-ups. */
async function traffic(ledger: Ledger, clock: FakeClock): Promise<Outcome> {
  const seen = new Set<string>();
  const failed = new Set<string>();
  const requests = Array.from({ length: 8 }, async (_, n) => {
    const payer = n % 2 === 0 ? payerOf() : payerOf(limitOf(10_000));
    const { tab, id, close } = openTab(ledger, { payer, at: clock.now() });
    try {
      const first = await tab.reserve(flatOrder(1_000 + n));
      await first.durable;
      first.progress({ cost: nano(10 * n), byok: nano(0) });
      await clock.advance(1);
      first.settle({ cost: nano(100 + n), byok: nano(0) });
      if (n % 3 === 0) {
        const second = await tab.reserve(flatOrder(500, { byok: true }));
        await second.durable;
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

/** Turns the clock until the work is done. */
async function through(work: Promise<unknown>, clock: FakeClock): Promise<void> {
  let done = false;
  work.then(() => done = true, () => done = true);
  for (let turn = 0; turn < 80 && !done; turn++) await clock.advance(250);
  assert.ok(done, "the requests do not end");
  await work;
}

interface Trial extends Fault {
  readonly spool?: string;
}

/** One life with a fault and a second one without. */
async function trial({ spool, ...fault }: Trial): Promise<Outcome & { readonly calls: number }> {
  const clock = fakeClock();
  const inner = memoryStore();
  const { store, calls } = faulty(inner, fault);
  const limits = { restateAfter: 3 };
  const options = { world: ledgerWorld(clock), parts: [], shared: false, limits, spool };
  let outcome: Outcome = { seen: new Set(), failed: new Set() };
  try {
    const ledger = await openLedger({ ...options, store });
    outcome = await traffic(ledger, clock);
    await end(ledger, clock);
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
  }
  const used = calls();
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
async function end(ledger: Ledger, clock: FakeClock): Promise<void> {
  await through(ledger.close(), clock);
}

const kinds = [
  { name: "once, before it has done anything", applied: false, forGood: false },
  { name: "once, its reply lost", applied: true, forGood: false },
  { name: "for good, before it has done anything", applied: false, forGood: true },
  { name: "for good, its reply lost", applied: true, forGood: true },
] as const;

for (const { name, ...fault } of kinds) {
  Deno.test(`Ledger loses and doubles nothing when any call of the store fails ${name}`, async () => {
    let at = 0;
    for (;; at++) {
      const { calls, failed } = await trial({ ...fault, at });
      if (!fault.forGood && at > 1) assert.equal(failed.size, 0, `call ${at}`);
      if (calls <= at) break;
    }
    assert.ok(at > 10, `only ${at} calls`);
  });
}

Deno.test("Ledger keeps every receipt in the spool while the store fails for good", async () => {
  for (let at = 2; at < 12; at++) {
    const spool = await Deno.makeTempDir();
    const { failed } = await trial({ at, applied: at % 2 === 0, forGood: true, spool });
    assert.equal(failed.size, 0, `call ${at}`);
    assert.equal((await Deno.stat(`${spool}/receipts.jsonl`)).size, 0);
    await Deno.remove(spool, { recursive: true });
  }
});
