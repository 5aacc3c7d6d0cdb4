/**
 * How several instances divide one limit (promises M1). Each live instance has a grant: the most that it may have
 * settled and held in the bucket. What instances have spent that are gone is read from their rows. The sum of both
 * never passes the limit, because a grant is only ever taken in a commit that checks what it was computed from.
 */

import * as z from "zod";
import { StoreError, type StoreKey } from "../../../storage/stores/store.ts";
import type { SpendBucket, SpendRow } from "../core/counters/spend_counter.ts";

/** First part of `["share", scope, bucket]`. */
export const QUOTA_ROWS = "share";

const quotaRowSchema = z.object({
  /** Nano-USD by instance. */
  grants: z.record(z.string(), z.int().nonnegative()),
  /** Counts the grants that were dropped because their instances are gone. */
  gone: z.int().nonnegative().default(0),
});
export type QuotaRow = z.output<typeof quotaRowSchema>;

export interface QuotaDivisionInput {
  readonly row: QuotaRow;
  /** Instances that are alive, or not closed yet. */
  readonly live: ReadonlySet<string>;
  /** Amount that each instance has spent in the bucket, by its own row. */
  readonly spent: ReadonlyMap<string, number>;
  readonly own: string;
  /** Amount that this instance has settled. */
  readonly settled: number;
  /** Amount that this instance has settled and reserved. */
  readonly used: number;
  /** Amount granted to this instance; no more than `used` when it last saw another limit. */
  readonly grant: number;
  /** How much more it needs at once. */
  readonly amount: number;
  /** Part of the unused grant that other requests of this instance need. */
  readonly kept: number;
  readonly limit: number;
}

export interface QuotaDivision {
  readonly row: QuotaRow;
  /** This instance's grant from now on. */
  readonly grant: number;
  /** Whether the amount fits now. */
  readonly isSufficient: boolean;
}

/**
 * Takes what is needed off what nobody has been granted, and ahead for later up to an equal part of what is left to
 * be spent: so a limit is dealt out in as many commits as there are instances. Nothing when too little is free. An
 * instance that holds nothing then gives up what nobody needs there, because no ending of its own could make that
 * enough, and small remainders would lie about where nobody can use them.
 */
export function divideQuota(division: QuotaDivisionInput): QuotaDivision {
  const { live, own, settled, used, grant, amount, kept, limit } = division;
  const { grants, gone, taken, spent } = othersOf(division);
  const before = Math.max(grant, used);
  const free = limit - taken - before;
  const short = Math.max(0, used + amount - before);
  const part = Math.floor((limit - spent - settled) / Math.max(1, live.size));
  const ahead = Math.min(free, settled + part - before);
  const enough = short <= free;
  const rest = used === settled ? Math.min(before, used + kept) : before;
  const mine = enough ? before + Math.max(short, ahead, 0) : rest;
  return { row: { grants: { ...grants, [own]: mine }, gone }, grant: mine, isSufficient: enough };
}

interface Others {
  readonly grants: Readonly<Record<string, number>>;
  readonly gone: number;
  /** Amount that is out of reach because others have been granted or have spent it. */
  readonly taken: number;
  /** Part of `taken` that is spent. */
  readonly spent: number;
}

function othersOf({ row, live, spent: spentBy, own }: QuotaDivisionInput): Others {
  const grants: Record<string, number> = {};
  let { gone } = row;
  let taken = 0;
  let spent = 0;
  for (const [instance, granted] of Object.entries(row.grants)) {
    if (instance === own) continue;
    if (live.has(instance)) grants[instance] = Math.max(granted, spentBy.get(instance) ?? 0);
    else gone++;
  }
  for (const one of Object.values(grants)) taken += one;
  for (const [instance, amount] of spentBy) {
    if (instance === own) continue;
    spent += amount;
    if (!Object.hasOwn(grants, instance)) taken += amount;
  }
  return { grants, gone, taken, spent };
}

export function isSameRow({ grants }: QuotaRow, other: QuotaRow): boolean {
  return JSON.stringify(grants) === JSON.stringify(other.grants);
}

export function quotaKey(scope: string, bucket: string): StoreKey {
  return [QUOTA_ROWS, scope, bucket];
}

/** All that this instance has settled and holds in a bucket, of either kind. */
export function usedInBucket(
  { cost, byok, reservedCost, reservedByok }: SpendBucket,
): number {
  return cost + byok + reservedCost + reservedByok;
}

interface Counted {
  readonly bucket: string;
  readonly includeByok: boolean;
}

/** Reads each instance's spend in one bucket from the rows. */
export function spentByInstance(
  rows: ReadonlyMap<string, SpendRow>,
  { bucket, includeByok }: Counted,
): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const [instance, row] of rows) {
    const found = row.find(([name]) => name === bucket);
    if (found) spent.set(instance, found[1] + (includeByok ? found[2] : 0));
  }
  return spent;
}

export function decodeQuotaRow(key: StoreKey, value: unknown): QuotaRow {
  const parsed = quotaRowSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read ${key.join("/")}: it does not fit`, { cause: parsed.error });
}
