/** The spend and reservations of one scope, in memory, by bucket (promises M1, M3). Amounts are nano-USD. */

import * as z from "zod";
import { toNanoUsd } from "../../../../../shared/money.ts";
import { StoreError } from "../../../../storage/stores/store.ts";
import type { BucketNames } from "./bucket_names.ts";
import type { BucketSpend, LimitPeriod, SpendByPeriod, SpendingLimit, SpendScope } from "../ledger.ts";
import type { Cancel } from "../../../../runtime.ts";

/** One bucket of one scope. Plain numbers: whole nano-USD, exact up to nine million USD. */
export class SpendBucket {
  /** Settled by this instance; receipts that are not written yet included. */
  cost = 0;
  byok = 0;
  /** Held by this instance's open calls. */
  reservedCost = 0;
  reservedByok = 0;
  /** Costs of the receipts that are in the journal, or in the batch that is being written. */
  rowCost = 0;
  rowByok = 0;
  /** Settled by other instances, as far as their rows were read. */
  othersCost = 0;
  othersByok = 0;
}

/** The four buckets of one moment. */
export type SpendBuckets = { readonly [P in LimitPeriod]: SpendBucket } & { readonly buckets: BucketNames };

export interface SpendAmounts {
  readonly cost: number;
  readonly byok: number;
}

/** A limit with what it is held against. */
export interface AppliedLimit {
  readonly limit: SpendingLimit;
  readonly counter: SpendCounter;
  readonly bucket: SpendBucket;
  /** The moment that names the bucket. */
  readonly at: number;
}

/** The size of a reservation that would be made. Amount in nano-USD, output cap in tokens. */
export interface ReservationSize {
  readonly amount: number;
  readonly maxOutputTokens: number | undefined;
}

/** An attempt to reserve money. */
export interface ReservationAttempt {
  /** The limits that apply, as they were read last. */
  appliedLimits: readonly AppliedLimit[];
  /** Hash of the key that makes the request. */
  readonly keyHash: string;
  /** The limits as they are now. Rejects with an ApiError where they cannot be read. */
  readAppliedLimits(): Promise<readonly AppliedLimit[]>;
  /** Part of the reserved amount that already belongs to the attempt itself: a call that grows. */
  readonly ownReserved: number;
  /** The amount that an API error names. */
  readonly requestedAmount: number;
  /** Tools of the provider's own that it is for, too. */
  readonly providerTools?: readonly string[];
  /**
   * Amount and output cap to reserve when `room` is left beside what is settled; undefined when that is too little.
   */
  size(room: number): ReservationSize | undefined;
  /** Sets the money aside. */
  reserve(size: ReservationSize): void;
  isCancelled(): boolean;
}

/** A waiter for larger quotas, of one bucket or of several. */
export interface QuotaWaiter {
  /** A quota that it needs may have changed. */
  readonly woken: () => void;
}

export interface QueuedReservation extends QuotaWaiter {
  readonly attempt: ReservationAttempt;
  /** Order of arrival. */
  readonly order: number;
  readonly resolve: (size: ReservationSize) => void;
  readonly reject: (error: unknown) => void;
  cancel: Cancel;
  /** In whose queue it stands. */
  blockedBy: AppliedLimit;
  /** Times that its limits are being read again at the moment: nothing is decided by the old ones. */
  reading: number;
}

/** A stored row: bucket, cost, byok of up to two buckets a kind. */
const spendRowSchema = z.array(z.tuple([z.string(), z.int(), z.int()]));
export type SpendRow = z.output<typeof spendRowSchema>;

/** First part of the rows `["spend", scope, instance]`. */
export const SPEND_ROWS = "spend";

/** Throws a StoreError `corrupt` for a row that is none. */
export function toSpendRow(scope: SpendScope, value: unknown): SpendRow {
  const parsed = spendRowSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read what ${scope} has spent: the row does not fit its schema`, {
    cause: parsed.error,
  });
}

/** Buckets of a kind that are kept besides those of now and of the time before, in which long calls may still settle. */
const KEPT = 2;

export class SpendCounter {
  readonly scope: SpendScope;
  readonly #buckets = new Map<string, SpendBucket>();
  #latest: SpendBuckets | undefined;
  /** Bucket names that were current before the latest ones. */
  #before: BucketNames | undefined;
  /** Set once the row of this instance has been read. */
  loaded = false;
  /** Open while it is being read. */
  // deno-lint-ignore tollgate/kept-promises -- the cache takes it out when it settles
  loading: Promise<void> | undefined;
  /** Requests that are open under this scope. */
  openTransactions = 0;
  /** Batches that write its row and are not committed. */
  writing = 0;
  /** Asked for since the last look for what can be forgotten. */
  touched = true;
  /** Reservations that wait for open reservations, first come first. */
  readonly queue: QueuedReservation[] = [];

  constructor(scope: SpendScope) {
    this.scope = scope;
  }

  at(buckets: BucketNames): SpendBuckets {
    if (this.#latest?.buckets === buckets) return this.#latest;
    const set = {
      buckets,
      daily: this.bucket(buckets.daily),
      weekly: this.bucket(buckets.weekly),
      monthly: this.bucket(buckets.monthly),
      lifetime: this.bucket(buckets.lifetime),
    };
    if (this.#latest?.buckets.daily !== buckets.daily) this.#before = this.#latest?.buckets;
    this.#latest = set;
    this.#forgetOld();
    return set;
  }

  bucket(bucket: string): SpendBucket {
    const found = this.#buckets.get(bucket);
    if (found) return found;
    const cell = new SpendBucket();
    this.#buckets.set(bucket, cell);
    return cell;
  }

  /** The bucket of a name, where something was counted in it. */
  find(bucket: string): SpendBucket | undefined {
    return this.#buckets.get(bucket);
  }

  /** Adds what this instance has counted in earlier runs. */
  fill(row: SpendRow): void {
    for (const [bucket, cost, byok] of row) {
      const cell = this.bucket(bucket);
      cell.cost += cost;
      cell.byok += byok;
      cell.rowCost += cost;
      cell.rowByok += byok;
    }
    this.loaded = true;
  }

  /** Takes over what the rows of all other instances say together. */
  fillOthers(rows: readonly SpendRow[]): void {
    const sums = new Map<string, { cost: number; byok: number }>();
    for (const [bucket, cost, byok] of rows.flat()) {
      const sum = sums.get(bucket) ?? { cost: 0, byok: 0 };
      sums.set(bucket, { cost: sum.cost + cost, byok: sum.byok + byok });
    }
    for (const [bucket, { cost, byok }] of sums) {
      const cell = this.bucket(bucket);
      cell.othersCost = cost;
      cell.othersByok = byok;
    }
    this.#forgetOld();
  }

  row(): SpendRow {
    return [...this.#buckets]
      .filter(([bucket, { rowCost, rowByok }]) => bucket === "lifetime" || rowCost !== 0 || rowByok !== 0)
      .map(([bucket, { rowCost, rowByok }]) => [bucket, rowCost, rowByok]);
  }

  get idle(): boolean {
    return this.loaded && this.openTransactions === 0 && this.writing === 0 && this.queue.length === 0;
  }

  /**
   * Drops the oldest buckets, unless calls are open in them. Those in use stay whatever their names: a clock that
   * was ahead for a while leaves names behind that no day of now comes up to.
   */
  #forgetOld(): void {
    if (this.#latest === undefined) return;
    const used = new Set([...Object.values(this.#latest.buckets), ...Object.values(this.#before ?? {})]);
    const kinds = new Map<string, number>();
    for (const name of [...this.#buckets.keys()].sort().reverse()) {
      if (used.has(name)) continue;
      const kind = name.charAt(0);
      const kept = kinds.get(kind) ?? 0;
      kinds.set(kind, kept + 1);
      const bucket = this.#buckets.get(name);
      if (kept >= KEPT && bucket?.reservedCost === 0 && bucket.reservedByok === 0) this.#buckets.delete(name);
    }
  }
}

/** Settled by all instances, as far as is known. */
export function readSpendOf({ daily, weekly, monthly, lifetime }: SpendBuckets): SpendByPeriod {
  return { daily: spent(daily), weekly: spent(weekly), monthly: spent(monthly), lifetime: spent(lifetime) };
}

function spent({ cost, byok, othersCost, othersByok }: SpendBucket): BucketSpend {
  return { cost: toNanoUsd(cost + othersCost), byok: toNanoUsd(byok + othersByok) };
}

// By their names: every request passes here for each of its scopes, and looking each up costs more than adding to it.

/** Applies to every bucket of the set. */
export function addReserved({ daily, weekly, monthly, lifetime }: SpendBuckets, amounts: SpendAmounts): void {
  reserveInBucket(daily, amounts);
  reserveInBucket(weekly, amounts);
  reserveInBucket(monthly, amounts);
  reserveInBucket(lifetime, amounts);
}

export function addSettled({ daily, weekly, monthly, lifetime }: SpendBuckets, amounts: SpendAmounts): void {
  settleInBucket(daily, amounts);
  settleInBucket(weekly, amounts);
  settleInBucket(monthly, amounts);
  settleInBucket(lifetime, amounts);
}

/** Counts receipts that are being written. */
export function addPendingReceipts(
  { daily, weekly, monthly, lifetime }: SpendBuckets,
  amounts: SpendAmounts,
): void {
  countInBucket(daily, amounts);
  countInBucket(weekly, amounts);
  countInBucket(monthly, amounts);
  countInBucket(lifetime, amounts);
}

function reserveInBucket(bucket: SpendBucket, { cost, byok }: SpendAmounts): void {
  bucket.reservedCost += cost;
  bucket.reservedByok += byok;
}

function settleInBucket(bucket: SpendBucket, { cost, byok }: SpendAmounts): void {
  bucket.cost += cost;
  bucket.byok += byok;
}

function countInBucket(bucket: SpendBucket, { cost, byok }: SpendAmounts): void {
  bucket.rowCost += cost;
  bucket.rowByok += byok;
}

/** An amount of a reservation as cost, or as spend on a key of the caller's own. */
export function spendAmounts({ ownKey }: { readonly ownKey: boolean }, amount: number): SpendAmounts {
  return ownKey ? { cost: 0, byok: amount } : { cost: amount, byok: 0 };
}
