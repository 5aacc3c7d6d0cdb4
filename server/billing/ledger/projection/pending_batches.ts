/**
 * Finds the receipts that an earlier run has written and not projected, where projection is done behind the
 * commits.
 */

import * as z from "zod";
import { nanoSchema, receiptSchema } from "../../../../shared/receipts.ts";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { Store, StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import { bucketNamesAt } from "../core/counters/bucket_names.ts";
import { addSettled } from "../core/counters/spend_counter.ts";
import { JOURNAL_ROWS, parseBatch } from "../journal/journal_batch.ts";
import { corruptRow } from "../journal/json_bytes.ts";
import type { ClosedBatch, ClosedRequest } from "./projection.ts";
import { PROJECTION_ROWS } from "./projection_part.ts";
import { unlessDamaged } from "../journal/receipt_reader.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";

/** Batches read at a time: up to 3 MB. */
const PAGE = 50;

const closeSchema = z.object({
  type: z.literal("close"),
  at: z.int(),
  scopes: z.array(z.string()),
  cost: nanoSchema,
  byok: nanoSchema,
  /** One that a later version has written still counts. */
  receipt: z.unknown(),
});
type Close = z.output<typeof closeSchema>;

const batchSchema = z.object({
  behind: z.literal(true).optional(),
  entries: z.array(z.discriminatedUnion("type", [
    closeSchema,
    z.object({ type: z.literal("open") }),
    z.object({ type: z.literal("progress") }),
  ])),
});

interface PendingBatch {
  readonly seq: number;
  readonly closes: readonly Close[];
}

/** The last batch that is projected, shards aside; -1 when none is. Throws a StoreError. */
export async function lastProjectedBatch(store: Store, instance: string): Promise<number> {
  const [mark] = await store.list([PROJECTION_ROWS, instance], { reverse: true, limit: 1 });
  return mark === undefined ? -1 : Number(mark.value);
}

interface PendingInput {
  readonly instance: string;
  /** A batch; those behind it are not projected, or not in every shard. */
  readonly after: number;
}

/** Oldest first. Throws a StoreError. */
export async function readPendingBatches(
  store: Store,
  { instance, after: last }: PendingInput,
): Promise<readonly PendingBatch[]> {
  const found: PendingBatch[] = [];
  let after: StoreKey | undefined;
  for (;;) {
    const page = await store.list([JOURNAL_ROWS, instance], { after, reverse: true, limit: PAGE });
    for (const entry of page) {
      const seq = Number(entry.key[2]);
      const batch = await unlessDamaged(() => read(entry));
      if (seq <= last || (batch !== undefined && batch.behind !== true)) return found.reverse();
      // What a damaged one has counted is lost; `doctor` tells of it.
      const closes = batch?.closes ?? [];
      if (closes.length > 0) found.push({ seq, closes });
    }
    after = page.at(-1)?.key;
    if (page.length < PAGE) return found.reverse();
  }
}

function read(entry: StoreEntry) {
  const parsed = batchSchema.safeParse(parseBatch(entry));
  if (!parsed.success) throw corruptRow(entry.key, parsed.error);
  const { behind, entries } = parsed.data;
  const closes = entries.filter((one): one is Close => one.type === "close");
  return { behind, closes };
}

interface RecountInput {
  readonly scopes: CounterCache;
  /** Whether the scope's row lacks what the batch says. */
  readonly counts: (scope: string) => boolean;
}

/**
 * Counts them in memory where their rows do not, and gives them as what is to be projected. Throws a StoreError.
 */
export async function toClosedBatch(
  { seq, closes }: PendingBatch,
  counting: RecountInput,
): Promise<ClosedBatch> {
  const { scopes } = counting;
  const closed = closes.map((close) => closedOf(close, counting));
  await Promise.all(closed.flatMap(({ counters }) => counters.map((counter) => scopes.load(counter))));
  const receipts = closes.map(({ receipt }) => receiptSchema.safeParse(receipt).data);
  return { seq, closed, receipts };
}

function closedOf({ at, scopes: names, cost, byok }: Close, { scopes, counts }: RecountInput): ClosedRequest {
  const counters = names.filter(counts).map((name) => scopes.get(name));
  const sets = counters.map((counter) => counter.at(bucketNamesAt(at)));
  const settled = { cost: toNanoUsd(cost), byok: toNanoUsd(byok) };
  for (const set of sets) addSettled(set, settled);
  return { counters, bucketSets: sets, settled };
}
