/**
 * What becomes of receipts once they are in the journal: counters, the index, the ids and the sums. The rows of
 * several blocks in a row are made together, and written in one commit.
 */

import type { Receipt } from "../../../shared/receipts.ts";
import type { Put } from "../../stores/store.ts";
import type { Log } from "../../runtime.ts";
import { type Amounts, book, type CellSet, type Counter } from "../core/spend_counter.ts";
import type { Settlement } from "../core/ledger.ts";
import type { PostingPart } from "./projection_part.ts";
import { ReceiptIds } from "../index/receipt_ids.ts";
import type { Scopes } from "../core/counter_cache.ts";

/** A request whose receipt is in the journal, or in the group that is being written. */
export interface Closed {
  readonly counters: readonly Counter[];
  readonly sets: readonly CellSet[];
  readonly settled: Settlement;
}

/** What is counted in the same cells by requests in a row. */
interface Summed extends Pick<Closed, "counters" | "sets"> {
  readonly settled: { cost: number; byok: number };
}

/** Those in a row that are counted alike as one: most are of the same key as the one before. */
export function summed(closed: readonly Closed[]): readonly Summed[] {
  const sums: Summed[] = [];
  let sum: Summed | undefined;
  for (const { counters, sets, settled: { cost, byok } } of closed) {
    if (sum === undefined || !areSame(sum.counters, counters) || !areSame(sum.sets, sets)) {
      sum = { counters, sets, settled: { cost: 0, byok: 0 } };
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

/** A block with receipts. */
export interface ClosedBlock {
  readonly seq: number;
  /** Their counters know their rows. */
  readonly closed: readonly Closed[];
  /** In their order in the block; undefined for one that cannot be read. */
  readonly receipts: readonly (Receipt | undefined)[];
}

/** Rows of one commit: the same, however often they have to be written. */
export interface Batch {
  /** What must not be missing; and what others want written with it. */
  readonly puts: readonly Put[];
  readonly extra: readonly Put[];
  readonly counters: ReadonlySet<Counter>;
}

/** The rows of a posting. */
export interface Posting extends Batch {
  readonly first: number;
  readonly last: number;
}

export interface PostingOptions {
  readonly instance: string;
  readonly scopes: Scopes;
  readonly parts: readonly PostingPart[];
  readonly log: Log;
}

/** A posting in the making. */
export class PostingDraft {
  readonly #options: PostingOptions;
  readonly #ids = new ReceiptIds();
  readonly #counters = new TouchedCounters();
  #blocks: { readonly first: number; last: number; receipts: number } | undefined;

  constructor(options: PostingOptions) {
    this.#options = options;
  }

  add({ seq, closed, receipts }: ClosedBlock): void {
    const blocks = this.#blocks ??= { first: seq, last: seq, receipts: 0 };
    blocks.last = seq;
    blocks.receipts += receipts.length;
    for (const { counters, sets, settled } of summed(closed)) {
      counters.forEach((counter, at) => this.#counters.count(counter, { set: sets[at], settled }));
    }
    const group = { receipts, offset: seq - blocks.first };
    this.#ids.add(group);
    for (const part of this.#options.parts) guarded(this.#options.log, () => part.add(group), undefined);
  }

  get blocks(): number {
    return this.#blocks === undefined ? 0 : this.#blocks.last - this.#blocks.first + 1;
  }

  get receipts(): number {
    return this.#blocks?.receipts ?? 0;
  }

  /** Rows that it would write now. */
  get rows(): number {
    const others = this.#options.parts.reduce((sum, { rows }) => sum + rows, 0);
    return this.#counters.size + this.#ids.rows + others;
  }

  /** Its rows, as all that was added has left them; undefined when nothing was. What comes next is another posting. */
  seal(): Posting | undefined {
    if (this.#blocks === undefined) return undefined;
    const { instance, scopes, parts, log } = this.#options;
    const { first, last } = this.#blocks;
    const counters = this.#counters.take();
    const span = { instance, first };
    const puts = [...counters].map((counter) => scopes.put(counter));
    puts.push(...this.#ids.take(span));
    const extra = parts.flatMap((part) => guarded(log, () => part.take(span), []));
    this.#blocks = undefined;
    return { first, last, puts, extra, counters };
  }
}

interface Counted {
  readonly set: CellSet | undefined;
  readonly settled: Amounts;
}

/** Counters whose rows are to be written. */
export class TouchedCounters {
  #counters = new Set<Counter>();

  count(counter: Counter, { set, settled }: Counted): void {
    if (set === undefined || (settled.cost === 0 && settled.byok === 0)) return;
    book(set, settled);
    if (this.#counters.has(counter)) return;
    this.#counters.add(counter);
    counter.writing++;
  }

  get size(): number {
    return this.#counters.size;
  }

  take(): ReadonlySet<Counter> {
    const counters = this.#counters;
    this.#counters = new Set();
    return counters;
  }
}

/** A part that fails must not cost a receipt. */
export function guarded<T>(log: Log, act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    log.error("Rows beside receipts cannot be made", { error: String(error) });
    return otherwise;
  }
}

/** It is in the store: its counters may be forgotten. */
export function posted({ counters }: Batch): void {
  for (const counter of counters) counter.writing--;
}
