import assert from "node:assert/strict";
import { memoryClock } from "../../../../../tests/support/clock.ts";
import { assertSound, spentRows } from "../../../../../tests/support/journal.ts";
import {
  flatOrder,
  ledgerRuntime,
  nano,
  oneRequest,
  openTransaction,
} from "../../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../../storage/stores/memory_store.ts";
import { sumSpendRows } from "./counter_compaction.ts";
import { openLedger } from "../open_ledger.ts";
import { CounterCache } from "./counter_cache.ts";

const billing = { scopes: ["key:one", "account"], limits: [] };

Deno.test("CounterCache reads what is asked for at one moment in one call, and once", async () => {
  const inner = memoryStore();
  const calls: number[] = [];
  const store: typeof inner = Object.assign(memoryStore(), {
    getMany: (keys: Parameters<typeof inner.getMany>[0]) => {
      calls.push(keys.length);
      return inner.getMany(keys);
    },
  });
  const scopes = new CounterCache({ store, instance: "own" });
  const counters = ["a", "b", "c"].map((name) => scopes.get(name));
  await Promise.all([...counters, ...counters].map((counter) => scopes.load(counter)));
  assert.deepEqual(calls, [3]);
  assert.equal(scopes.load(scopes.get("a")), undefined);
});

Deno.test("CounterCache forgets what nobody uses, and nothing that is in use or unwritten", async () => {
  const store = memoryStore();
  const scopes = new CounterCache({ store, instance: "own", kept: 10 });
  const used = scopes.get("used");
  await scopes.load(used);
  used.openTransactions = 1;
  const unread = scopes.get("unread");
  for (let at = 0; at < 200; at++) await scopes.load(scopes.get(`s${at}`));
  assert.ok(scopes.size < 25, `${scopes.size} are kept`);
  assert.equal(scopes.get("used"), used);
  assert.equal(scopes.get("unread"), unread);
  assert.notEqual(scopes.get("s0").loaded, true);
});

Deno.test("CounterCache adds up the rows of instances that are gone", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const names: string[] = [];
  for (let start = 0; start < 30; start++) {
    names.push(`i${start}-0`);
    const ledger = await openLedger({
      store,
      runtime: ledgerRuntime(clock, `i${start}`),
      projectionParts: [],
      isShared: true,
    });
    assert.equal((await ledger.readSpend("account")).lifetime.cost, 7 * start);
    await oneRequest(ledger, { billing, request: flatOrder(10), cost: 7 });
    await ledger.close();
  }
  assert.ok((await store.list(["spend", "account"])).length <= 9);
  assert.deepEqual((await spentRows(store, "account")).get("lifetime"), [210, 0]);
  await assertSound(store, { instances: names, scopes: billing.scopes, seen: [] });
});

Deno.test("summed keeps the latest two buckets of each kind, and all that was ever spent", () => {
  const rows = [
    [["d2026-01-01", 1, 0], ["d2026-01-02", 2, 0], ["lifetime", 3, 0]],
    [["d2026-01-02", 4, 1], ["d2026-01-03", 8, 0], ["m2026-01", 5, 0], ["lifetime", 12, 1]],
  ] satisfies Parameters<typeof sumSpendRows>[0];
  assert.deepEqual(sumSpendRows(rows), [
    ["d2026-01-02", 6, 1],
    ["d2026-01-03", 8, 0],
    ["lifetime", 15, 1],
    ["m2026-01", 5, 0],
  ]);
});

Deno.test("Ledger counts right while the row of a scope is still being read", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const first = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  await oneRequest(first, { billing, request: flatOrder(10), cost: 5 });
  await first.close();
  let go = () => {};
  const gate = new Promise<void>((resolve) => go = resolve);
  const slow = Object.assign(memoryStore(), {
    getMany: async (keys: Parameters<typeof store.getMany>[0]) => {
      await gate;
      return await store.getMany(keys);
    },
    get: store.get.bind(store),
    list: store.list.bind(store),
    commit: store.commit.bind(store),
  });
  const second = openLedger({
    store: slow,
    runtime: ledgerRuntime(clock),
    projectionParts: [],
    isShared: false,
  });
  // Nothing was left open, so that the start reads no counters.
  const ledger = await second;
  const { transaction, close } = openTransaction(ledger, { billing, id: "gen-slow" });
  const reservation = await transaction.reserve(flatOrder(10));
  await reservation.durable();
  reservation.settle({ cost: nano(9), byok: nano(0) });
  let closed = false;
  const closing = close().then(() => closed = true);
  await clock.advance(100);
  assert.equal(closed, false);
  go();
  await closing;
  assert.equal((await ledger.readSpend("account")).lifetime.cost, 14);
  await ledger.close();
  await assertSound(store, {
    instances: ["own"],
    scopes: billing.scopes,
    seen: [transaction.settled ? "gen-x" : ""].slice(1),
  });
});
