/**
 * Removes receipts that are older than they have to be kept. A whole block goes at a time, and what it has counted
 * is added to a total in the same commit, so that the counters are always the sum of the receipts kept and of what
 * was retired (promises M4).
 */

import * as z from "zod";
import { type Entry as Stored, type Put, type Store, StoreError, type StoreKey } from "../stores/store.ts";
import { RECEIPT } from "./block_builder.ts";
import { type Block, blockKey, type CloseEntry, JOURNAL, toBlock, toOutline } from "./entries.ts";
import { indexRows } from "./receipt_index.ts";

/** First part of `["spend_retired", scope, instance]`: what removed receipts have counted, as `[cost, byok]`. */
export const SPEND_RETIRED = "spend_retired";
/** First part of `["retired", instance]`: the last block that was removed; whoever removes the next one checks it. */
const RETIRED = "retired";

const totalSchema = z.tuple([z.int(), z.int()]);
const PAGE = 20;

export interface RetireOptions {
  /** Blocks that were written before this moment may go, ms since the epoch. */
  readonly before: number;
  /** Blocks removed at most. */
  readonly most: number;
}

/** Tells how many blocks it removed. Several may retire at once: each block goes once. Throws a StoreError. */
export async function retire(store: Store, { before, most }: RetireOptions): Promise<number> {
  let removed = 0;
  for await (const instance of instancesWithJournal(store)) {
    removed += await retireOf(store, { instance, before, most: most - removed });
    if (removed >= most) return removed;
  }
  return removed;
}

/** Every instance that has ever written, without reading what. */
async function* instancesWithJournal(store: Store): AsyncGenerator<string> {
  let after: StoreKey | undefined;
  for (;;) {
    const [first] = await store.list([JOURNAL], { after, limit: 1 });
    if (!first) return;
    const instance = String(first.key[1]);
    yield instance;
    after = blockKey(instance, Number.MAX_SAFE_INTEGER);
  }
}

interface Retiring extends RetireOptions {
  readonly instance: string;
}

async function retireOf(store: Store, { instance, before, most }: Retiring): Promise<number> {
  const [last] = await store.list([JOURNAL, instance], { reverse: true, limit: 1 });
  if (!last) return 0;
  // What an open request needs stays, and so does the last block: the next one is counted from it.
  const { low } = toOutline(last);
  for (let removed = 0; removed < most;) {
    const page = await store.list([JOURNAL, instance], { limit: Math.min(PAGE, most - removed) });
    for (const stored of page) {
      const block = toBlock(stored);
      const needed = Number(stored.key[2]) >= low || stored.key[2] === last.key[2];
      if (needed || block.at >= before || !await retireBlock(store, { instance, stored, block })) {
        return removed;
      }
      removed++;
    }
    if (page.length === 0) return removed;
  }
  return most;
}

interface OldBlock {
  readonly instance: string;
  readonly stored: Stored;
  readonly block: Block;
}

/** False when somebody else is removing it. */
async function retireBlock(
  store: Store,
  { instance, stored: { key, version }, block }: OldBlock,
): Promise<boolean> {
  const closes = block.entries.filter((entry): entry is CloseEntry => entry.type === "close");
  const cursor = [RETIRED, instance];
  const found = await store.get(cursor);
  const receipts = closes.map(({ receipt }) => receipt);
  const result = await store.commit({
    checks: [{ key, version }, { key: cursor, version: found?.version ?? null }],
    puts: [{ key: cursor, value: key[2] }, ...await totals(store, { instance, closes })],
    deletes: [
      key,
      ...receipts.map(({ id }) => [RECEIPT, id]),
      ...indexRows({ receipts, block: key }).map((row) => row.key),
    ],
    small: true,
  });
  return result.type === "ok";
}

interface Counted {
  readonly instance: string;
  readonly closes: readonly CloseEntry[];
}

async function totals(store: Store, { instance, closes }: Counted): Promise<readonly Put[]> {
  const sums = new Map<string, [number, number]>();
  for (const { scopes, cost, byok } of closes) {
    if (cost === 0 && byok === 0) continue;
    for (const scope of scopes) {
      const sum = sums.get(scope) ?? [0, 0];
      sums.set(scope, [sum[0] + cost, sum[1] + byok]);
    }
  }
  const keys = [...sums.keys()].map((scope) => [SPEND_RETIRED, scope, instance]);
  const before = await store.getMany(keys);
  return [...sums.values()].map(([cost, byok], at) => {
    const key = keys[at] ?? [];
    const [oldCost, oldByok] = toTotal(key, before[at]?.value ?? [0, 0]);
    return { key, value: [oldCost + cost, oldByok + byok] };
  });
}

/** Throws a StoreError `corrupt` for a total that is none. */
export function toTotal(key: StoreKey, value: unknown): readonly [number, number] {
  const parsed = totalSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read ${key.join("/")}: it does not fit`, { cause: parsed.error });
}
