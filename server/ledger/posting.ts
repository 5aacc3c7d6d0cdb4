/**
 * What becomes of receipts once they are in the journal: counters, the index, the ids and the sums. The rows of
 * several blocks in a row are made together, and written in one commit.
 */

import type { Receipt } from "../../shared/receipts.ts";
import type { Put } from "../stores/store.ts";
import type { Log } from "../world.ts";
import { book, type CellSet, type Counter } from "./counter.ts";
import type { Settlement } from "./ledger.ts";
import type { PostingPart } from "./posting_part.ts";
import { ReceiptIds } from "./receipt_ids.ts";
import type { Scopes } from "./scopes.ts";

/** A request whose receipt is in the journal, or in the group that is being written. */
export interface Closed {
  readonly counters: readonly Counter[];
  readonly sets: readonly CellSet[];
  readonly settled: Settlement;
}

/** A block with receipts. */
export interface ClosedBlock {
  readonly seq: number;
  /** Their counters know their rows. */
  readonly closed: readonly Closed[];
  /** In their order in the block; undefined for one that cannot be read. */
  readonly receipts: readonly (Receipt | undefined)[];
}

/** The rows of a posting: the same, however often they have to be written. */
export interface Posting {
  readonly first: number;
  readonly last: number;
  /** Counters and ids; and what others want written with them. */
  readonly puts: readonly Put[];
  readonly extra: readonly Put[];
  readonly counters: ReadonlySet<Counter>;
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
  #counters = new Set<Counter>();
  #blocks: { readonly first: number; last: number; receipts: number } | undefined;

  constructor(options: PostingOptions) {
    this.#options = options;
  }

  add({ seq, closed, receipts }: ClosedBlock): void {
    const blocks = this.#blocks ??= { first: seq, last: seq, receipts: 0 };
    blocks.last = seq;
    blocks.receipts += receipts.length;
    for (const one of closed) this.#count(one);
    const group = { receipts, offset: seq - blocks.first };
    this.#ids.add(group);
    for (const part of this.#options.parts) this.#guarded(() => part.add(group), undefined);
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
    const { instance, scopes, parts } = this.#options;
    const { first, last } = this.#blocks;
    const counters = this.#counters;
    const span = { instance, first };
    const puts = [...counters].map((counter) => scopes.put(counter));
    puts.push(...this.#ids.take(span));
    const extra = parts.flatMap((part) => this.#guarded(() => part.take(span), []));
    this.#counters = new Set();
    this.#blocks = undefined;
    return { first, last, puts, extra, counters };
  }

  #count({ sets, counters, settled }: Closed): void {
    if (settled.cost === 0 && settled.byok === 0) return;
    for (const set of sets) book(set, settled);
    for (const counter of counters) {
      if (this.#counters.has(counter)) continue;
      this.#counters.add(counter);
      counter.writing++;
    }
  }

  /** A part that fails must not cost a receipt. */
  #guarded<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      this.#options.log.error("Rows beside receipts cannot be made", { error: String(error) });
      return otherwise;
    }
  }
}

/** It is in the store: its counters may be forgotten. */
export function posted({ counters }: Posting): void {
  for (const counter of counters) counter.writing--;
}
