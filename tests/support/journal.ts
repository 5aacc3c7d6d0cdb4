/** Reads what a ledger has written, and holds it against itself. */

import assert from "node:assert/strict";
import { SPEND_ROWS, toSpendRow } from "../../server/billing/ledger/core/counters/spend_counter.ts";
import { bucketNamesAt } from "../../server/billing/ledger/core/counters/bucket_names.ts";
import {
  type CloseEntry,
  decodeBatch,
  JOURNAL_ROWS,
} from "../../server/billing/ledger/journal/journal_batch.ts";
import { locateReceipt } from "../../server/billing/ledger/index/receipt_ids.ts";
import { recoverJournal } from "../../server/billing/ledger/journal/recovery/recovery.ts";
import type { Store, StoreKey } from "../../server/storage/stores/store.ts";

/** Every receipt in the journal, with what it counts. */
export async function closesOf(store: Store): Promise<readonly CloseEntry[]> {
  const blocks = (await everything(store, [JOURNAL_ROWS])).map(decodeBatch);
  return blocks.flatMap(({ entries }) => entries.flatMap((entry) => entry.type === "close" ? [entry] : []));
}

export async function everything(store: Store, prefix: StoreKey) {
  const all: Awaited<ReturnType<Store["list"]>>[number][] = [];
  let after: StoreKey | undefined;
  for (;;) {
    const page = await store.list(prefix, { after, limit: 1_000 });
    all.push(...page);
    after = page.at(-1)?.key;
    if (page.length < 1_000) return all;
  }
}

/** Sums the rows of all instances for a scope, as `bucket: [cost, byok]`. */
export async function spentRows(
  store: Store,
  scope: string,
): Promise<Map<string, readonly [number, number]>> {
  const sums = new Map<string, readonly [number, number]>();
  for (const { value } of await store.list([SPEND_ROWS, scope], { limit: 1_000 })) {
    for (const [bucket, cost, byok] of toSpendRow(scope, value)) add(sums, { bucket, cost, byok });
  }
  return sums;
}

interface Booking {
  readonly bucket: string;
  readonly cost: number;
  readonly byok: number;
}

function add(sums: Map<string, readonly [number, number]>, { bucket, cost, byok }: Booking): void {
  const [oldCost, oldByok] = sums.get(bucket) ?? [0, 0];
  sums.set(bucket, [oldCost + cost, oldByok + byok]);
}

export interface Expected {
  /** Instances that have written. */
  readonly instances: readonly string[];
  readonly scopes: readonly string[];
  /** Receipts whose terminal event a client has seen. */
  readonly seen: Iterable<string>;
  /** Ms since the epoch, where days have passed. */
  readonly now?: number;
}

/** Nothing lost, nothing doubled, nothing open, and counters that say what the receipts say. */
export async function assertSound(
  store: Store,
  { instances, scopes, seen, now }: Expected,
): Promise<readonly CloseEntry[]> {
  const closes = await closesOf(store);
  const ids = closes.map(({ receipt }) => receipt.id);
  assert.equal(new Set(ids).size, ids.length, "a receipt is doubled");
  for (const id of seen) assert.ok(ids.includes(id), `receipt ${id} is lost`);
  for (const id of ids) {
    assert.ok(await locateReceipt(store, id), `receipt ${id} cannot be found by its id`);
  }
  for (const instance of instances) {
    const { open } = await recoverJournal(store, instance);
    // What a dead instance has left open is closed in the journal of another.
    const orphans = open.filter(({ id }) => !ids.includes(id));
    assert.deepEqual(orphans, [], `${instance} has left requests open`);
  }
  for (const scope of scopes) {
    const sums = new Map<string, readonly [number, number]>();
    for (const entry of closes) {
      assert.equal(entry.receipt.cost, entry.cost);
      if (!entry.scopes.includes(scope)) continue;
      for (const bucket of Object.values(bucketNamesAt(entry.at))) add(sums, { ...entry, bucket });
    }
    const rows = await spentRows(store, scope);
    for (const [bucket, amounts] of sums) {
      if (isPast(bucket, now)) continue;
      assert.deepEqual(rows.get(bucket) ?? [0, 0], amounts, `${scope} in ${bucket}`);
    }
    for (const [bucket, [cost, byok]] of rows) if (!sums.has(bucket)) assert.equal(cost + byok, 0, bucket);
  }
  return closes;
}

const DAY_MS = 86_400_000;

/** Rows keep the bucket of now and the one before it: what is older may be gone from them. */
function isPast(bucket: string, now: number | undefined): boolean {
  if (now === undefined || bucket === "lifetime") return false;
  const { daily } = bucketNamesAt(now - DAY_MS);
  const { weekly } = bucketNamesAt(now - 7 * DAY_MS);
  const { monthly } = bucketNamesAt(now - 28 * DAY_MS);
  return [daily, weekly, monthly].some((kept) => kept[0] === bucket[0] && bucket < kept);
}
