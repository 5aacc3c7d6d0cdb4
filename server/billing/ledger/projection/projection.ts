/**
 * Projects receipts that are in the journal onto counters, the index, the ids and the sums. The rows of several
 * batches in a row are made together, and written in one commit.
 */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { StorePut } from "../../../storage/stores/store.ts";
import type { Logger } from "../../../runtime.ts";
import {
  addPendingReceipts,
  type SpendAmounts,
  type SpendBuckets,
  type SpendCounter,
} from "../core/counters/spend_counter.ts";
import type { Settlement } from "../core/ledger.ts";
import type { ProjectionPart } from "./projection_part.ts";
import { ReceiptIds } from "../index/receipt_ids.ts";
import type { CounterCache } from "../core/counters/counter_cache.ts";

/** A request whose receipt is in the journal, or in the batch that is being written. */
export interface ClosedRequest {
  readonly counters: readonly SpendCounter[];
  readonly bucketSets: readonly SpendBuckets[];
  readonly settled: Settlement;
}

/** Sum of requests in a row that are counted in the same buckets. */
interface ClosedSum extends Pick<ClosedRequest, "counters" | "bucketSets"> {
  readonly settled: { cost: number; byok: number };
}

/** Sums neighbouring requests that are counted alike: most are of the same key as the one before. */
export function sumClosedRequests(closed: readonly ClosedRequest[]): readonly ClosedSum[] {
  const sums: ClosedSum[] = [];
  let sum: ClosedSum | undefined;
  for (const { counters, bucketSets, settled: { cost, byok } } of closed) {
    if (sum === undefined || !areSame(sum.counters, counters) || !areSame(sum.bucketSets, bucketSets)) {
      sum = { counters, bucketSets, settled: { cost: 0, byok: 0 } };
      sums.push(sum);
    }
    sum.settled.cost += cost;
    sum.settled.byok += byok;
  }
  return sums;
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
}

/** A batch with receipts. */
export interface ClosedBatch {
  readonly seq: number;
  /** Their counters know their rows. */
  readonly closed: readonly ClosedRequest[];
  /** In their order in the batch; undefined for one that cannot be read. */
  readonly receipts: readonly (Receipt | undefined)[];
}

/** Rows of one commit: the same, however often they have to be written. */
export interface ProjectionCommit {
  /** Rows that must not be missing, and rows that others want written with them. */
  readonly puts: readonly StorePut[];
  readonly extra: readonly StorePut[];
  readonly counters: ReadonlySet<SpendCounter>;
}

/** The rows of a projection. */
export interface ProjectionRows extends ProjectionCommit {
  readonly first: number;
  readonly last: number;
}

export interface ProjectionOptions {
  readonly instance: string;
  readonly scopes: CounterCache;
  readonly parts: readonly ProjectionPart[];
  readonly log: Logger;
}

/** A projection in the making. */
export class ProjectionBuilder {
  readonly #options: ProjectionOptions;
  readonly #ids = new ReceiptIds();
  readonly #counters = new ChangedCounters();
  #batches: { readonly first: number; last: number; receipts: number } | undefined;

  constructor(options: ProjectionOptions) {
    this.#options = options;
  }

  add({ seq, closed, receipts }: ClosedBatch): void {
    const batches = this.#batches ??= { first: seq, last: seq, receipts: 0 };
    batches.last = seq;
    batches.receipts += receipts.length;
    for (const { counters, bucketSets, settled } of sumClosedRequests(closed)) {
      counters.forEach((counter, at) => this.#counters.count(counter, { set: bucketSets[at], settled }));
    }
    const batch = { receipts, offset: seq - batches.first };
    this.#ids.add(batch);
    for (const part of this.#options.parts) logFailure(this.#options.log, () => part.add(batch), undefined);
  }

  get batches(): number {
    return this.#batches === undefined ? 0 : this.#batches.last - this.#batches.first + 1;
  }

  get receipts(): number {
    return this.#batches?.receipts ?? 0;
  }

  /** Rows that it would write now. */
  get rows(): number {
    const others = this.#options.parts.reduce((sum, { rows }) => sum + rows, 0);
    return this.#counters.size + this.#ids.rows + others;
  }

  /**
   * Its rows, as all that was added has left them; undefined when nothing was. What comes next is another
   * projection.
   */
  seal(): ProjectionRows | undefined {
    if (this.#batches === undefined) return undefined;
    const { instance, scopes, parts, log } = this.#options;
    const { first, last } = this.#batches;
    const counters = this.#counters.take();
    const span = { instance, first };
    const puts = [...counters].map((counter) => scopes.put(counter));
    puts.push(...this.#ids.take(span));
    const extra = parts.flatMap((part) => logFailure(log, () => part.take(span), []));
    this.#batches = undefined;
    return { first, last, puts, extra, counters };
  }
}

interface Counted {
  readonly set: SpendBuckets | undefined;
  readonly settled: SpendAmounts;
}

/** Counters whose rows are to be written. */
export class ChangedCounters {
  #counters = new Set<SpendCounter>();

  count(counter: SpendCounter, { set, settled }: Counted): void {
    if (set === undefined || (settled.cost === 0 && settled.byok === 0)) return;
    addPendingReceipts(set, settled);
    if (this.#counters.has(counter)) return;
    this.#counters.add(counter);
    counter.writing++;
  }

  get size(): number {
    return this.#counters.size;
  }

  take(): ReadonlySet<SpendCounter> {
    const counters = this.#counters;
    this.#counters = new Set();
    return counters;
  }
}

/** A part that fails must not cost a receipt. */
export function logFailure<T>(log: Logger, act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    log.error("Cannot build projection rows", { error: String(error) });
    return otherwise;
  }
}

/** It is in the store: its counters may be forgotten. */
export function releaseCounters({ counters }: ProjectionCommit): void {
  for (const counter of counters) counter.writing--;
}
