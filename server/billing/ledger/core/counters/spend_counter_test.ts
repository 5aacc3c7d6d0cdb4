import assert from "node:assert/strict";
import { memoryClock } from "../../../../../tests/support/clock.ts";
import {
  billingOf,
  flatOrder,
  KEY_SCOPE,
  ledgerRuntime,
  limitOf,
  oneRequest,
} from "../../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../../storage/stores/memory_store.ts";
import { bucketNamesAt } from "./bucket_names.ts";
import { SpendCounter } from "./spend_counter.ts";
import { openLedger } from "../open_ledger.ts";

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 0, 14, 12);
const WRONG = Date.UTC(2099, 5, 1);

Deno.test("SpendCounter keeps today's bucket however far the clock has been ahead", () => {
  const counter = new SpendCounter("key:one");
  for (const at of [WRONG, WRONG + DAY, WRONG + 2 * DAY]) counter.at(bucketNamesAt(at)).daily.cost += 1;
  const { daily } = counter.at(bucketNamesAt(TODAY));
  daily.cost += 5;
  counter.at(bucketNamesAt(TODAY - DAY));
  assert.equal(counter.at(bucketNamesAt(TODAY)).daily, daily);
});

Deno.test("SpendCounter forgets old buckets, and what others have spent does not make it forget its own", () => {
  const counter = new SpendCounter("key:one");
  for (let day = 0; day < 30; day++) counter.at(bucketNamesAt(TODAY + day * DAY)).daily.rowCost = 1;
  counter.fillOthers([[["d2099-06-01", 7, 0], ["d2099-06-02", 7, 0], ["d2001-01-01", 7, 0]]]);
  const names = counter.row().map(([bucket]) => bucket).filter((bucket) => bucket.startsWith("d"));
  assert.ok(names.includes("d2026-02-12"), names.join());
  assert.ok(names.length < 5, names.join());
});

Deno.test("Ledger holds a daily limit after days with a clock that was ahead, also over a restart", async () => {
  const clock = memoryClock();
  const store = memoryStore();
  const options = { store, projectionParts: [], isShared: false };
  const billing = billingOf(limitOf(1_000, { period: "daily" }));
  const flatCall = { billing, request: flatOrder(400), cost: 400 };
  let ledger = await openLedger({ ...options, runtime: ledgerRuntime(clock) });
  for (const at of [WRONG, WRONG + DAY, WRONG + 2 * DAY, TODAY, TODAY]) {
    assert.equal(await oneRequest(ledger, { ...flatCall, at }), "served");
  }
  await ledger.close();
  ledger = await openLedger({ ...options, runtime: ledgerRuntime(clock, "again") });
  const third = await oneRequest(ledger, { ...flatCall, at: TODAY });
  assert.notEqual(third, "served");
  assert.equal((await ledger.readSpend(KEY_SCOPE)).lifetime.cost, 2_000);
  await ledger.close();
});
