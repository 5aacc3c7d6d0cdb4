/** The ledger's contract on every store that keeps its own: memory and Deno KV. */

import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import type { SteppedClock } from "../../../../tests/support/clock.ts";
import { memoryClock, storeClock } from "../../../../tests/support/clock.ts";
import {
  billingOf,
  costBoundOf,
  flatOrder,
  ledgerRuntime,
  limitOf,
  nano,
  oneRequest,
  openTransaction,
  orderOf,
} from "../../../../tests/support/ledger.ts";
import { countedStore, RealWork } from "../../../../tests/support/real_work.ts";
import { tickingClock } from "../../../../tests/support/ticking_clock.ts";
import { denoKvStore } from "../../../storage/stores/embedded/deno_kv_store.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./open_ledger.ts";

interface Rig {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly clock: SteppedClock;
}

const stores: Readonly<Record<string, () => Promise<Omit<Rig, "ledger">>>> = {
  memory: () => Promise.resolve({ store: memoryStore(), clock: memoryClock() }),
  "Deno KV": async () => {
    const work = new RealWork();
    const store = denoKvStore({ kv: await Deno.openKv(":memory:"), clock: tickingClock() });
    return { store: countedStore(store, work), clock: storeClock(work) };
  },
};

function contract(name: string, run: (rig: Rig) => Promise<void>): void {
  for (const [kind, open] of Object.entries(stores)) {
    Deno.test(`Ledger ${name} (${kind})`, async () => {
      const { store, clock } = await open();
      const ledger = await openLedger({
        store,
        runtime: ledgerRuntime(clock),
        projectionParts: [],
        isShared: false,
      });
      await run({ store, ledger, clock });
      await ledger.close();
      assert.equal(clock.open, 0);
      await store.close();
    });
  }
}

function refusal(kind: string, words = ""): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof ApiError, String(error));
    assert.equal(error.kind, kind);
    assert.ok(error.message.includes(words), error.message);
    return true;
  };
}

contract("counts what is settled under every scope and bucket", async ({ ledger }) => {
  assert.equal(await oneRequest(ledger, { request: flatOrder(900), cost: 300 }), "served");
  assert.equal(
    await oneRequest(ledger, { request: flatOrder(900, { byok: true }), cost: 0, byok: 70 }),
    "served",
  );
  for (const scope of [...billingOf().scopes]) {
    const spent = { cost: 300, byok: 70 };
    assert.deepEqual(await ledger.readSpend(scope), {
      daily: spent,
      weekly: spent,
      monthly: spent,
      lifetime: spent,
    });
  }
  assert.deepEqual((await ledger.readSpend("key:other")).daily, { cost: 0, byok: 0 });
});

contract("adds no cap where no limit stands", async ({ ledger }) => {
  const { transaction, close } = openTransaction(ledger);
  const reservation = await transaction.reserve(orderOf(costBoundOf(100, 10)));
  assert.deepEqual([reservation.maxOutputTokens, reservation.lowered, reservation.reserved], [
    undefined,
    false,
    82_020,
  ]);
  const requested = await transaction.reserve(orderOf(costBoundOf(100, 10), { requestedMaxTokens: 7 }));
  assert.deepEqual([requested.maxOutputTokens, requested.reserved], [7, 170]);
  assert.equal(transaction.reserved, 82_190);
  await close();
});

contract("sends the usual cap under a limit", async ({ ledger }) => {
  const { transaction, close } = openTransaction(ledger, { billing: billingOf(limitOf(1_000_000)) });
  const reservation = await transaction.reserve(orderOf(costBoundOf(100, 10)));
  assert.deepEqual([reservation.maxOutputTokens, reservation.lowered], [8_192, false]);
  await close();
});

contract("lowers a cap for what is settled, not below 256", async ({ ledger }) => {
  const billing = billingOf(limitOf(10_000));
  const request = orderOf(costBoundOf(100, 10), { requestedMaxTokens: 2_000 });
  const { transaction, close } = openTransaction(ledger, { billing });
  const reservation = await transaction.reserve(request);
  assert.deepEqual([reservation.maxOutputTokens, reservation.lowered, reservation.reserved], [
    990,
    true,
    10_000,
  ]);
  reservation.settle({ cost: nano(7_300), byok: nano(0) });
  const next = await transaction.reserve(request);
  assert.deepEqual([next.maxOutputTokens, next.lowered, next.reserved], [260, true, 2_700]);
  next.settle({ cost: nano(100), byok: nano(0) });
  await assert.rejects(transaction.reserve(request), refusal("payment_required", "The key's limit"));
  const small = await transaction.reserve({ ...request, requestedMaxTokens: 200 });
  assert.deepEqual([small.maxOutputTokens, small.lowered], [200, false]);
  await close();
});

contract("waits for open holds, first come first served", async ({ ledger }) => {
  const billing = billingOf(limitOf(1_000));
  const served: string[] = [];
  const first = openTransaction(ledger, { billing });
  const reservation = await first.transaction.reserve(flatOrder(700));
  const transactions = ["b", "c", "d"].map((name) => ({ name, ...openTransaction(ledger, { billing }) }));
  const reservations = transactions.map(async ({ name, transaction }, at) => {
    const held = await transaction.reserve(flatOrder([600, 400, 200][at] ?? 0));
    served.push(name);
    return held;
  });
  await Promise.resolve();
  assert.deepEqual(served, []);
  reservation.settle({ cost: nano(0), byok: nano(0) });
  const [b, c] = await Promise.all(reservations.slice(0, 2));
  assert.deepEqual(served, ["b", "c"]);
  c?.release();
  await reservations[2];
  assert.deepEqual(served, ["b", "c", "d"]);
  b?.release();
  for (const { close } of [first, ...transactions]) await close();
});

contract("refuses after five seconds of waiting, with the numbers", async ({ ledger, clock }) => {
  const billing = billingOf(limitOf(1_000, { period: "daily" }));
  const first = openTransaction(ledger, { billing });
  await first.transaction.reserve(flatOrder(700));
  const second = openTransaction(ledger, { billing });
  const waiting = second.transaction.reserve(flatOrder(600));
  const refused = assert.rejects(waiting, (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.status, 402);
    assert.equal(error.details.retryAfter, 5);
    assert.deepEqual(error.details.metadata, {
      limit_source: "key",
      limit_usd: 0.000001,
      spend_usd: 0,
      reserved_usd: 7e-7,
      resets_at: "2026-01-15T00:00:00.000Z",
    });
    return true;
  });
  await clock.advance(5_000);
  await refused;
  await first.close();
  await second.close({ status: "refused" });
});

contract("refuses at once what does not fit beside what is settled", async ({ ledger }) => {
  const limit = limitOf(1_000, { source: "guardrail", id: "g1", name: "A guardrail's limit" });
  await oneRequest(ledger, { billing: billingOf(limit), request: flatOrder(900), cost: 900 });
  const { transaction, close } = openTransaction(ledger, { billing: billingOf(limit) });
  await assert.rejects(transaction.reserve(flatOrder(101)), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.status, 403);
    assert.deepEqual(error.details.metadata?.patterns, []);
    assert.equal(error.details.metadata?.resets_at, null);
    assert.equal(error.details.retryAfter, undefined);
    return true;
  });
  await transaction.reserve(flatOrder(100));
  await close();
});

contract("lets free requests pass an exhausted limit, and no others", async ({ ledger }) => {
  const billing = billingOf(limitOf(0));
  await assert.rejects(async () => await ledger.admit(billing), refusal("payment_required"));
  assert.throws(() => ledger.admit(billing), refusal("payment_required"));
  const { transaction, close } = openTransaction(ledger, { billing });
  const reservation = await transaction.reserve(orderOf(costBoundOf(0, 0), { requestedMaxTokens: 5 }));
  assert.deepEqual([reservation.maxOutputTokens, reservation.lowered], [5, false]);
  await assert.rejects(transaction.reserve(flatOrder(1)), refusal("payment_required"));
  await close();
});

contract("refuses what has no price where a limit stands", async ({ ledger }) => {
  const limited = openTransaction(ledger, { billing: billingOf(limitOf(1_000)) });
  await assert.rejects(limited.transaction.reserve(orderOf(undefined)), refusal("not_found", "price"));
  const free = openTransaction(ledger);
  assert.equal((await free.transaction.reserve(orderOf(undefined))).reserved, 0);
  await limited.close({ status: "refused" });
  await free.close();
});

contract("counts the caller's own provider keys where the limit says so", async ({ ledger }) => {
  const own = flatOrder(600, { byok: true });
  const without = billingOf(limitOf(1_000));
  assert.equal(await oneRequest(ledger, { billing: without, request: own, cost: 0, byok: 600 }), "served");
  assert.equal(await oneRequest(ledger, { billing: without, request: own, cost: 0, byok: 600 }), "served");
  const including = billingOf(limitOf(1_250, { includeByok: true }));
  const refused = await oneRequest(ledger, { billing: including, request: flatOrder(60), cost: 0 });
  assert.equal(refused !== "served" && refused.status, 402);
  assert.equal(await oneRequest(ledger, { billing: including, request: flatOrder(50), cost: 10 }), "served");
});

contract("records an overrun in full", async ({ ledger }) => {
  const billing = billingOf(limitOf(1_000));
  const { transaction, close } = openTransaction(ledger, { billing });
  (await transaction.reserve(flatOrder(900))).settle({ cost: nano(1_200), byok: nano(0) });
  assert.equal(transaction.overrun, 300);
  await close();
  assert.equal((await ledger.readSpend("account")).lifetime.cost, 1_200);
  assert.throws(() => ledger.admit(billing), refusal("payment_required"));
});

contract("grows a hold under its limits", async ({ ledger, clock }) => {
  const billing = billingOf(limitOf(1_000));
  const { transaction, close } = openTransaction(ledger, { billing });
  const reservation = await transaction.reserve(flatOrder(400));
  await reservation.extend(nano(500));
  assert.equal(reservation.reserved, 900);
  await assert.rejects(reservation.extend(nano(101)), refusal("payment_required"));
  const other = openTransaction(ledger, { billing });
  const late = assert.rejects(other.transaction.reserve(flatOrder(200)), refusal("payment_required", "held"));
  await clock.advance(5_000);
  await late;
  reservation.settle({ cost: nano(850), byok: nano(0) });
  reservation.settle({ cost: nano(1), byok: nano(0) });
  assert.equal(transaction.settled.cost, 850);
  await other.transaction.reserve(flatOrder(150));
  await close();
  await other.close();
});

contract("closes once and gives the rest back", async ({ ledger }) => {
  const billing = billingOf(limitOf(1_000));
  const { transaction, close } = openTransaction(ledger, { billing });
  await transaction.reserve(flatOrder(1_000));
  await Promise.all([close(), close()]);
  const next = openTransaction(ledger, { billing });
  assert.equal((await next.transaction.reserve(flatOrder(1_000))).reserved, 1_000);
  await next.close();
  assert.equal((await ledger.readSpend("account")).lifetime.cost, 0);
});

contract("keeps its counters over a restart", async ({ ledger, store, clock }) => {
  for (let at = 0; at < 100; at++) await oneRequest(ledger, { request: flatOrder(10), cost: 7 });
  const again = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  assert.equal((await again.readSpend("account")).monthly.cost, 700);
  await again.close();
});
