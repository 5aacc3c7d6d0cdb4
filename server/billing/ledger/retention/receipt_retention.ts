/**
 * Removes receipts that are older than they have to be kept. A whole projection goes at a time: first what finds
 * its receipts, then batch by batch the receipts. What a batch has counted is added to a total in the commit that
 * removes it, so that the counters are always the sum of the receipts kept and of what was retired (promises M4).
 */

import * as z from "zod";
import {
  type Store,
  type StoreEntry as Stored,
  StoreError,
  type StoreKey,
  type StorePut,
} from "../../../storage/stores/store.ts";
import { RETIRED_ROWS } from "../journal/recovery/missing_batches.ts";
import { type CloseEntry, decodeBatch, JOURNAL_ROWS, type JournalBatch } from "../journal/journal_batch.ts";
import { readShardCheckpoints } from "../projection/shard_checkpoints.ts";
import { PROJECTION_ROWS, projectionKey } from "../projection/projection_part.ts";
import { instancesWithJournal } from "../journal/journal_tail.ts";
import { type ReadBatch, readBatch, unlessDamaged } from "../journal/receipt_reader.ts";
import { ReceiptIds } from "../index/receipt_ids.ts";
import { ReceiptIndex } from "../index/receipt_index.ts";
import { newestOutline, outlineOf } from "../journal/recovery/recovery.ts";

/** First part of `["spend_retired", scope, instance]`: what removed receipts have counted, as `[cost, byok]`. */
export const RETIRED_SPEND_ROWS = "spend_retired";
/** First part of `["retired_damaged", instance]`: how many damaged batches were removed, whose receipts nobody counted. */
export const RETIRED_DAMAGED = "retired_damaged";

const totalSchema = z.tuple([z.int(), z.int()]);
const PAGE = 20;

interface LeavingBatch extends ReadBatch {
  readonly seq: number;
  /** When it was written, ms since the epoch. */
  readonly at: number;
}

/** Batches of a journal that are about to go, in its order. */
export interface LeavingBatches {
  readonly instance: string;
  readonly batches: readonly LeavingBatch[];
}

/** Is told of batches before they go, more than once where the process ends in between. They stay where it throws. */
export type OnLeaving = (leaving: LeavingBatches) => Promise<void>;

interface RemoveReceiptsOptions {
  /** Batches that were written before this moment may go, ms since the epoch. */
  readonly before: number;
  /** Batches removed at most, but for the rest of a projection. */
  readonly most: number;
  readonly onLeaving?: OnLeaving;
}

/**
 * Returns the number of batches that it removed. Several may do so at once: each batch goes once. Throws a
 * StoreError.
 */
export async function removeOldReceipts(
  store: Store,
  { most, ...options }: RemoveReceiptsOptions,
): Promise<number> {
  let removed = 0;
  for await (const instance of instancesWithJournal(store)) {
    removed += await retireOf(store, { ...options, instance, most: most - removed });
    if (removed >= most) return removed;
  }
  return removed;
}

interface Retiring extends RemoveReceiptsOptions {
  readonly instance: string;
}

async function retireOf(store: Store, { instance, before, most, onLeaving }: Retiring): Promise<number> {
  const [last] = await store.list([JOURNAL_ROWS, instance], { reverse: true, limit: 1 });
  if (!last) return 0;
  // What an open request needs stays, and so does the last batch: the next one is counted from it.
  const { low } = await newestOutline(store, { instance, last });
  const end = Math.min(low, Number(last.key[2]));
  for (let removed = 0;;) {
    const old = removed < most ? await oldestOf(store, instance) : undefined;
    if (old === undefined || old.batches.some(({ seq, batch: { at } }) => seq >= end || at >= before)) {
      return removed;
    }
    await onLeaving?.({ instance, batches: await Promise.all(old.batches.map(toLeaving)) });
    await store.commit({ deletes: projectedKeys(old), small: true });
    for (const part of partsOf(old)) {
      if (!await removeBatches(store, part)) return removed;
      removed += part.batches.length;
    }
  }
}

interface OldBatch {
  readonly seq: number;
  readonly stored: Stored;
  /** Batch as far as it can be read; of a damaged one only the time of those behind it is known. */
  readonly batch: Pick<JournalBatch, "at" | "behind" | "entries">;
  readonly damaged: boolean;
}

interface OldProjection {
  readonly instance: string;
  /** In the order of the journal, without a gap. */
  readonly batches: readonly OldBatch[];
  /**
   * The batch that their projection begins with; another run may have removed it before. Undefined: not of one.
   */
  readonly projection: number | undefined;
}

/** The first batch, or what is left of the first projection. Undefined: nothing may go. */
async function oldestOf(store: Store, instance: string): Promise<OldProjection | undefined> {
  const [first] = await store.list([JOURNAL_ROWS, instance], { limit: 1 });
  if (first === undefined) return undefined;
  const [projection] = await store.list([PROJECTION_ROWS, instance], { limit: 1 });
  const alone = await oldBatch(store, first);
  if (projection === undefined || alone.seq < Number(projection.key[2])) {
    const unposted = alone.batch.behind === true && closesOf([alone]).length > 0;
    return unposted ? undefined : { instance, batches: [alone], projection: undefined };
  }
  const all = [alone];
  const last = Number(projection.value);
  const marks = await readShardCheckpoints(store, instance);
  for (let after: StoreKey | undefined = first.key; after !== undefined;) {
    const page: readonly Stored[] = await store.list([JOURNAL_ROWS, instance], { after, limit: PAGE });
    const batches = await Promise.all(page.map((entry) => oldBatch(store, entry)));
    const within = batches.filter(({ seq }) => seq <= last);
    all.push(...within);
    after = within.length === PAGE ? page.at(-1)?.key : undefined;
  }
  const shards = marks === undefined ? last : Math.min(...marks);
  if (all.some((one) => one.seq > shards && closesOf([one]).length > 0)) return undefined;
  return { instance, batches: all, projection: Number(projection.key[2]) };
}

async function oldBatch(store: Store, stored: Stored): Promise<OldBatch> {
  const seq = Number(stored.key[2]);
  const batch = await unlessDamaged(() => decodeBatch(stored));
  if (batch !== undefined) return { seq, stored, batch, damaged: false };
  return { seq, stored, batch: { at: await timeBehind(store, stored), entries: [] }, damaged: true };
}

/** When the next readable batch was written; never, where there is none. */
async function timeBehind(store: Store, { key }: Stored): Promise<number> {
  for (let after: StoreKey | undefined = key; after !== undefined;) {
    const page: readonly Stored[] = await store.list([JOURNAL_ROWS, String(key[1])], { after, limit: PAGE });
    const readable = page.map(outlineOf).find((outline) => outline !== undefined);
    if (readable !== undefined) return readable.at;
    after = page.length === PAGE ? page.at(-1)?.key : undefined;
  }
  return Infinity;
}

async function toLeaving(old: OldBatch): Promise<LeavingBatch> {
  const { seq, stored, batch: { at }, damaged } = old;
  const read = damaged ? await unlessDamaged(() => readBatch(stored)) : undefined;
  const receipts = closesOf([old]).map(({ receipt }) => receipt);
  return { seq, at, receipts, unread: [], ...read };
}

function closesOf(old: readonly OldBatch[]): readonly CloseEntry[] {
  return old.flatMap(({ batch }) =>
    batch.entries.filter((entry): entry is CloseEntry => entry.type === "close")
  );
}

/** Scopes whose totals one commit writes, but for those of its last batch. */
const MOST_SCOPES = 300;

interface Part {
  readonly instance: string;
  readonly batches: readonly OldBatch[];
  /** The mark of their projection, which goes with the last of them. */
  readonly mark: StoreKey | undefined;
}

/** In chunks that have room in a commit each. */
function partsOf({ instance, batches, projection }: OldProjection): readonly Part[] {
  const parts: OldBatch[][] = [];
  let scopes = new Set<string>();
  for (const batch of batches) {
    const part = scopes.size < MOST_SCOPES ? parts.at(-1) : undefined;
    if (part === undefined) [scopes, parts[parts.length]] = [new Set(), [batch]];
    else part.push(batch);
    for (const close of closesOf([batch])) for (const scope of close.scopes) scopes.add(scope);
  }
  const mark = projection === undefined ? undefined : projectionKey({ instance, first: projection });
  return parts.map((part, at) => ({
    instance,
    batches: part,
    mark: at === parts.length - 1 ? mark : undefined,
  }));
}

/** False when somebody else is removing them. */
async function removeBatches(store: Store, { instance, batches, mark }: Part): Promise<boolean> {
  const [first] = batches;
  const last = batches.at(-1);
  if (first === undefined || last === undefined) return true;
  const cursor = [RETIRED_ROWS, instance];
  const found = await store.get(cursor);
  const lost = await damagedPut(store, { instance, count: batches.filter(({ damaged }) => damaged).length });
  const result = await store.commit({
    checks: [
      { key: first.stored.key, version: first.stored.version },
      { key: cursor, version: found?.version ?? null },
    ],
    puts: [
      { key: cursor, value: last.seq },
      ...lost,
      ...await totals(store, { instance, closes: closesOf(batches) }),
    ],
    deletes: [...batches.map(({ stored }) => stored.key), ...mark === undefined ? [] : [mark]],
    small: true,
  });
  return result.type === "ok";
}

async function damagedPut(
  store: Store,
  { instance, count }: { readonly instance: string; readonly count: number },
): Promise<readonly StorePut[]> {
  if (count === 0) return [];
  const key = [RETIRED_DAMAGED, instance];
  const before = z.int().safeParse((await store.get(key))?.value).data ?? 0;
  return [{ key, value: before + count }];
}

/** The rows that find their receipts. */
function projectedKeys({ instance, batches, projection }: OldProjection): readonly StoreKey[] {
  const [index, ids] = [new ReceiptIndex(), new ReceiptIds()];
  const first = projection ?? batches[0]?.seq ?? 0;
  for (const one of batches) {
    const batch = { receipts: closesOf([one]).map(({ receipt }) => receipt), offset: one.seq - first };
    index.add(batch);
    ids.add(batch);
  }
  const span = { instance, first };
  return [...index.take(span), ...ids.take(span)].map(({ key }) => key);
}

interface Counted {
  readonly instance: string;
  readonly closes: readonly CloseEntry[];
}

async function totals(store: Store, { instance, closes }: Counted): Promise<readonly StorePut[]> {
  const sums = new Map<string, [number, number]>();
  for (const { scopes, cost, byok } of closes) {
    if (cost === 0 && byok === 0) continue;
    for (const scope of scopes) {
      const sum = sums.get(scope) ?? [0, 0];
      sums.set(scope, [sum[0] + cost, sum[1] + byok]);
    }
  }
  const keys = [...sums.keys()].map((scope) => [RETIRED_SPEND_ROWS, scope, instance]);
  const before = await store.getMany(keys);
  return [...sums.values()].map(([cost, byok], at) => {
    const key = keys[at] ?? [];
    const [oldCost, oldByok] = decodeRetiredTotal(key, before[at]?.value ?? [0, 0]);
    return { key, value: [oldCost + cost, oldByok + byok] };
  });
}

/** Throws a StoreError `corrupt` for a total that is none. */
export function decodeRetiredTotal(key: StoreKey, value: unknown): readonly [number, number] {
  const parsed = totalSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read ${key.join("/")}: it does not fit`, { cause: parsed.error });
}
