/** Tests that the rows beside receipts fit into their commits, however little the receipts have in common. */

import assert from "node:assert/strict";
import { readTaskSums } from "../../server/billing/ledger/usage/task_query.ts";
import { queryUsage } from "../../server/billing/ledger/usage/usage_query.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { createProjectionParts } from "../../server/billing/ledger/projection/projection_parts.ts";
import { createReceiptReader } from "../../server/billing/ledger/journal/receipt_reader.ts";
import { listReceipts, type ReceiptQuery } from "../../server/billing/ledger/index/receipt_list.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { toNanoUsd } from "../../shared/money.ts";
import { fakeClock } from "../support/clock.ts";
import { flatOrder, ledgerRuntime, openTransaction } from "../support/ledger.ts";

const COUNT = 300;

const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

async function countTaskModels(store: Store, now: number): Promise<number | undefined> {
  const hasWorkspace = () => Promise.resolve(true);
  const { sums } = await readTaskSums(store, { now, modelId: (name) => name, hasWorkspace });
  return sums.get("math")?.models.size;
}

Deno.test("three hundred receipts with nothing in common are all found and counted, and no commit is refused", async () => {
  const store = memoryStore();
  const clock = fakeClock();
  const runtime = ledgerRuntime(clock, "0".repeat(30));
  const projectionParts = createProjectionParts({ randomToken: () => "123456789012" });
  const ledger = await openLedger({ store, runtime, projectionParts, isShared: false });
  await Promise.all(Array.from({ length: COUNT }, async (_, at) => {
    const key_hash = String(at).padStart(64, "0");
    const workspace_id = uuid(at);
    const guardrails = [`guardrail:${uuid(at)}:${key_hash}`, `guardrail:${uuid(at + COUNT)}:${key_hash}`];
    const scopes = [`key:${key_hash}`, `workspace:${workspace_id}`, "account", ...guardrails];
    const { transaction, close } = openTransaction(ledger, {
      billing: { scopes, limits: [] },
      at: clock.now(),
    });
    const reservation = await transaction.reserve(flatOrder(10));
    await reservation.durable();
    reservation.settle({ cost: toNanoUsd(7), byok: toNanoUsd(0) });
    const created_at = new Date(clock.now()).toISOString();
    await close({
      key_hash,
      workspace_id,
      model: `${at}${"m".repeat(150)}`,
      provider: `${at}${"p".repeat(60)}`,
      created_at,
      task: "math",
      cost: 7,
    });
  }));
  await ledger.flush();
  assert.deepEqual(
    runtime.lines.filter((line) => line.includes("refused") || line.includes("cannot be made")),
    [],
  );

  const seen = new Set<string>();
  let before: ReceiptQuery["before"];
  do {
    const page = await listReceipts({ store, batches: createReceiptReader(store) }, {
      filters: {},
      limit: 100,
      before,
    });
    for (const { key_hash } of page.receipts) seen.add(key_hash);
    before = page.next;
  } while (before !== undefined);
  assert.equal(seen.size, COUNT);
  const range = { from: clock.now() - 60_000, to: clock.now() + 60_000 };
  for (const grain of ["minute", "hour", "day"] as const) {
    const { groups } = await queryUsage(store, { ...range, grain, by: ["key"] });
    assert.equal(groups.length, COUNT, grain);
    assert.equal(groups.reduce((sum, { totals }) => sum + totals.cost, 0), 7 * COUNT, grain);
  }
  assert.equal(await countTaskModels(store, clock.now()), COUNT);
  await ledger.close();
  await store.close();
});
