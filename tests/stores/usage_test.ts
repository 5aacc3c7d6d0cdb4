/** Tests that the rows beside receipts are read alike from every store. */

import assert from "node:assert/strict";
import { queryUsage } from "../../server/billing/ledger/usage/usage_query.ts";
import { timeSpans } from "../../server/billing/ledger/usage/usage_rows.ts";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { removeMinuteRows } from "../../server/billing/ledger/retention/minute_usage_job.ts";
import { ReceiptIndex } from "../../server/billing/ledger/index/receipt_index.ts";
import { listReceipts, type ReceiptQuery } from "../../server/billing/ledger/index/receipt_list.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { testEachStore } from "../support/each_store.ts";
import { Groups, KEY_A, KEY_B, receiptWith } from "../support/receipts.ts";

const BASE = Date.UTC(2026, 0, 14);

async function life(store: Store): Promise<void> {
  const blocks = new Groups(store, [new ReceiptIndex(), new UsageCounters({ start: "run" })]);
  const receipts = Array.from({ length: 120 }, (_, at) =>
    receiptWith({
      at: BASE + at * timeSpans.hour,
      key_hash: at % 3 === 0 ? KEY_B : KEY_A,
      model: at % 2 === 0 ? "a/one" : "b/zwei 💥",
      status: at % 5 === 0 ? "failed" : "completed",
    }));
  for (let at = 0; at < 120; at += 3) await blocks.write(receipts.slice(at, at + 3), `i${at % 2}`);

  const filters = { key: KEY_A, model: "b/zwei 💥" } as const;
  const seen: string[] = [];
  let before: ReceiptQuery["before"];
  do {
    const page = await listReceipts({ store, batches: blocks, maxRowReads: 4 }, {
      filters,
      limit: 7,
      before,
    });
    seen.push(...page.receipts.map(({ id }) => id));
    before = page.next;
  } while (before !== undefined);
  const wanted = receipts.filter(({ key_hash, model }) =>
    key_hash === filters.key && model === filters.model
  );
  assert.deepEqual(seen, wanted.toReversed().map(({ id }) => id));

  const range = { from: BASE + 5 * timeSpans.hour, to: BASE + 101 * timeSpans.hour };
  for (const grain of ["minute", "hour", "day"] as const) {
    for (const key of [undefined, KEY_B]) {
      const { groups } = await queryUsage(store, { ...range, grain, key, by: ["status"] });
      const expected = receipts.slice(5, 101).filter((one) => (key ?? one.key_hash) === one.key_hash);
      for (const { values: [status], totals } of groups) {
        assert.equal(
          totals.requests,
          expected.filter((one) => one.status === status).length,
          `${grain} ${status}`,
        );
      }
      assert.equal(groups.length, 2);
    }
  }
  const now = BASE + 100 * timeSpans.hour;
  assert.equal(await removeMinuteRows(store, { now, most: 1_000 }), 75);
}

testEachStore("sums and lists of receipts are read alike", life);
