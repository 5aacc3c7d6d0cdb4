/** Rows of the receipts' index, read newest first and a page at a time. */

import * as z from "zod";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { formatKey } from "../../../storage/stores/store_key.ts";
import {
  type KeyPart,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreKey,
} from "../../../storage/stores/store.ts";
import { compareKeyTails } from "./receipt_cursor.ts";

const PAGE_ROWS = 64;

/** Where to look on; without a tail: at the newest. */
export interface WalkBound {
  readonly tail?: readonly KeyPart[];
  readonly inclusive?: boolean;
}

/** How often the index may still be looked at. */
export interface ReadBudget {
  looks: number;
}

/** The places that a row of the index names. */
export interface IndexEntry {
  readonly tail: readonly KeyPart[];
  /** None where a row of several says nothing of the one that is wanted. */
  readonly places: readonly number[];
}

/** Rows of the index, newest first. */
export interface RowWalk {
  /**
   * The newest row within the bound; `later` when the budget has no look left for that. Bounds never rise from one
   * call to the next.
   */
  seek(limit: WalkBound, budget: ReadBudget): Promise<IndexEntry | "later" | undefined>;
}

/** The rows of several walks as those of one. */
export class UnionWalk implements RowWalk {
  readonly #walks: readonly RowWalk[];

  constructor(walks: readonly RowWalk[]) {
    this.#walks = walks;
  }

  async seek(limit: WalkBound, budget: ReadBudget): Promise<IndexEntry | "later" | undefined> {
    let newest: IndexEntry | undefined;
    for (const walk of this.#walks) {
      const row = await walk.seek(limit, budget);
      if (row === "later") return "later";
      if (row === undefined) continue;
      const order = newest === undefined ? 1 : compareKeyTails(row.tail, newest.tail);
      if (order > 0) newest = row;
      else if (order === 0) newest = together(row, newest);
    }
    return newest;
  }
}

function together(one: IndexEntry, other: IndexEntry | undefined): IndexEntry {
  const places = [...one.places, ...other?.places ?? []].toSorted((a, b) => a - b);
  return { tail: one.tail, places };
}

/** The rows of one field and value, or of several, of which one is wanted; read a page at a time. */
export class FieldWalk implements RowWalk {
  readonly #store: Store;
  readonly #prefix: StoreKey;
  readonly #wanted: string | undefined;
  #rows: readonly IndexEntry[] = [];
  #at = 0;
  #ended = false;

  constructor(store: Store, { prefix, wanted }: { readonly prefix: StoreKey; readonly wanted?: string }) {
    this.#store = store;
    this.#prefix = prefix;
    this.#wanted = wanted;
  }

  async seek(limit: WalkBound, budget: ReadBudget): Promise<IndexEntry | "later" | undefined> {
    const found = this.#held(limit);
    if (found !== undefined) return found;
    if (this.#ended) return undefined;
    if (budget.looks-- <= 0 && limit.tail !== undefined) return "later";
    const entries = await this.#store.list(this.#prefix, {
      reverse: true,
      limit: PAGE_ROWS,
      ...(limit.tail === undefined ? {} : { after: [...this.#prefix, ...limit.tail, ...past(limit)] }),
    });
    this.#rows = entries.map((entry) => ({
      tail: entry.key.slice(this.#prefix.length),
      places: placesIn(entry, this.#wanted),
    }));
    this.#at = 0;
    this.#ended = entries.length < PAGE_ROWS;
    return this.#rows[0];
  }

  #held(limit: WalkBound): IndexEntry | undefined {
    while (this.#at < this.#rows.length) {
      const row = this.#rows[this.#at];
      if (row !== undefined && within(row.tail, limit)) return row;
      this.#at++;
    }
    return undefined;
  }
}

/** A key's extensions come behind it, so one of them as the bound lets the key itself in. */
const past = ({ inclusive }: WalkBound): readonly KeyPart[] => inclusive === true ? [""] : [];

function within(tail: readonly KeyPart[], limit: WalkBound): boolean {
  if (limit.tail === undefined) return true;
  const order = compareKeyTails(tail, limit.tail);
  return order < 0 || (order === 0 && limit.inclusive === true);
}

const placesSchema = z.array(z.int().nonnegative());
const togetherSchema = z.record(z.string(), placesSchema);

function placesIn({ key, value }: StoreEntry, wanted?: string): readonly number[] {
  const read = (wanted === undefined ? placesSchema : togetherSchema).safeParse(value);
  if (!read.success) {
    throw new StoreError("corrupt", `Cannot read ${formatKey(key)}: it does not fit`, { cause: read.error });
  }
  if (Array.isArray(read.data)) return read.data;
  return wanted === undefined ? [] : ownValue(read.data, wanted) ?? [];
}
