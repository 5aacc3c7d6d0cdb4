/**
 * Lists receipts by what the index has rows for, newest first and a page at a time. With several filters their rows
 * are walked side by side and blocks are read only where all of them agree.
 */

import * as z from "zod";
import { ownValue } from "../../../shared/util/own_value.ts";
import { type Receipt, receiptStatuses } from "../../../shared/receipts.ts";
import { formatKey } from "../../stores/store_key.ts";
import { type KeyPart, type Store, type StoreEntry, StoreError, type StoreKey } from "../../stores/store.ts";
import type { BatchRange } from "../projection/projection_part.ts";
import { compareKeyTails, type ReceiptCursor } from "./receipt_cursor.ts";
import {
  indexPrefix,
  type ReceiptField,
  receiptFields,
  sharedIndexPrefix,
  toKeyPart,
} from "./receipt_index.ts";

/** Where the receipts of a projection come from. */
export interface BatchReceiptReader {
  /**
   * Receipts of one projection, by their places. Those that were removed are left out; undefined stands for one
   * that is damaged. Throws a StoreError.
   */
  receiptsAt(span: BatchRange, places: readonly number[]): Promise<readonly (Receipt | undefined)[]>;
}

export interface ReceiptListDeps {
  readonly store: Store;
  readonly batches: BatchReceiptReader;
  /** Looks at the index for one page; filters that almost never agree end a page early. */
  readonly maxRowReads?: number;
}

export interface ReceiptQuery {
  readonly filters: { readonly [F in ReceiptField]?: string };
  /** Only what is older than this. */
  readonly before?: ReceiptCursor;
  /** 1 to 100. */
  readonly limit: number;
}

export interface ReceiptPage {
  /** Newest first. */
  readonly receipts: readonly Receipt[];
  /** Receipts that belong here and cannot be read any more. */
  readonly missing: number;
  /** Where the next page begins; undefined at the end. A page may be short, even empty, and still have one. */
  readonly next?: ReceiptCursor;
}

/** Index rows read at a time. */
const PAGE_ROWS = 64;
const MAX_LOOKS = 200;
/** One look for each filter, where that of keys has rows of two kinds, or each status gets further in any case. */
const LEAST_LOOKS = Math.max(receiptFields.length + 1, receiptStatuses.length);

export async function listReceipts(deps: ReceiptListDeps, query: ReceiptQuery): Promise<ReceiptPage> {
  const { places, next } = await findPlaces(deps, query);
  const found: (Receipt | undefined)[] = [];
  // One after another: a block is decoded as a whole, and others have their turn in between.
  for (const { tail, places: wanted } of places) {
    found.push(...await deps.batches.receiptsAt(spanOf(tail), wanted));
  }
  const receipts = found.filter((receipt) => receipt !== undefined);
  const page = { receipts, missing: found.length - receipts.length };
  return next === undefined ? page : { ...page, next };
}

/** What stands in an index row's key behind the time. */
function spanOf([, instance, first]: readonly KeyPart[]): BatchRange {
  return { instance: String(instance), first: Number(first) };
}

interface IndexedPositions {
  readonly tail: readonly KeyPart[];
  /** Falling: the newest first. */
  readonly places: readonly number[];
}

interface Found {
  readonly places: readonly IndexedPositions[];
  readonly next?: ReceiptCursor;
}

async function findPlaces(deps: ReceiptListDeps, { filters, before, limit }: ReceiptQuery): Promise<Found> {
  const walks = walksOf(deps.store, filters);
  const budget = { looks: Math.max(deps.maxRowReads ?? MAX_LOOKS, LEAST_LOOKS) };
  const places: IndexedPositions[] = [];
  let missing = limit;
  let from: WalkBound = before === undefined ? {} : { tail: before.tail, inclusive: before.place > 0 };
  while (missing > 0) {
    const met = await joinFilters(walks, { from, budget });
    if (met === undefined) return { places };
    if (met.places === undefined) return { places, next: met.next };
    const { tail } = met;
    const same = before !== undefined && compareKeyTails(tail, before.tail) === 0;
    const open = met.places.filter((place) => !same || place < before.place).toReversed();
    const taken = open.slice(0, missing);
    if (taken.length > 0) places.push({ tail, places: taken });
    missing -= taken.length;
    const last = taken.at(-1);
    if (missing === 0 && last !== undefined) return { places, next: { tail, place: last } };
    from = { tail, inclusive: false };
  }
  return { places };
}

/** Of a cursor that stands before a whole block. */
const EVERY_PLACE = Number.MAX_SAFE_INTEGER;

function walksOf(store: Store, filters: ReceiptQuery["filters"]): readonly RowWalk[] {
  const walks = receiptFields.flatMap((field) => {
    const value = filters[field];
    return value === undefined ? [] : [walkOf(store, { field, value })];
  });
  if (walks.length > 0) return walks;
  return [
    new UnionWalk(
      receiptStatuses.map((value) => new FieldWalk(store, { prefix: indexPrefix("status", value) })),
    ),
  ];
}

interface Filter {
  readonly field: ReceiptField;
  readonly value: string;
}

function walkOf(store: Store, { field, value }: Filter): RowWalk {
  const own = new FieldWalk(store, { prefix: indexPrefix(field, value) });
  if (field !== "key") return own;
  const shared = { prefix: sharedIndexPrefix(value), wanted: toKeyPart(value) };
  return new UnionWalk([own, new FieldWalk(store, shared)]);
}

/** Where to look on; without a tail: at the newest. */
interface WalkBound {
  readonly tail?: readonly KeyPart[];
  readonly inclusive?: boolean;
}

interface ReadBudget {
  looks: number;
}

interface JoinInput {
  readonly from: WalkBound;
  readonly budget: ReadBudget;
}

type JoinResult =
  | { readonly tail: readonly KeyPart[]; readonly places: readonly number[] }
  /** The budget is used up, and this is how far it went. */
  | { readonly next: ReceiptCursor; readonly places?: undefined };

/** The newest block from the bound on that every walk names; undefined when there is none. */
async function joinFilters(
  walks: readonly RowWalk[],
  { from, budget }: JoinInput,
): Promise<JoinResult | undefined> {
  let limit = from;
  for (;;) {
    const rows: IndexEntry[] = [];
    for (const walk of walks) {
      const row = await walk.seek(limit, budget);
      if (row === "later") return { next: cursorOf(limit) };
      if (row === undefined) return undefined;
      const older = rows.length > 0 && compareKeyTails(row.tail, limit.tail ?? row.tail) < 0;
      limit = { tail: row.tail, inclusive: true };
      if (row.places.length === 0) limit = { tail: row.tail, inclusive: false };
      if (older || row.places.length === 0) break;
      rows.push(row);
    }
    const [first] = rows;
    if (first === undefined || rows.length < walks.length) continue;
    const others = rows.slice(1).map(({ places }) => new Set(places));
    const shared = first.places.filter((place) => others.every((places) => places.has(place)));
    if (shared.length > 0) return { tail: first.tail, places: shared };
    limit = { tail: first.tail, inclusive: false };
  }
}

/** A first look needs no bound, and is always made: there is one to go on from. */
const cursorOf = ({ tail = [], inclusive }: WalkBound): ReceiptCursor => ({
  tail,
  place: inclusive === true ? EVERY_PLACE : 0,
});

interface IndexEntry {
  readonly tail: readonly KeyPart[];
  /** None where a row of several says nothing of the one that is wanted. */
  readonly places: readonly number[];
}

/** Rows of the index, newest first. */
interface RowWalk {
  /**
   * The newest row within the bound; `later` when the budget has no look left for that. Bounds never rise from one
   * call to the next.
   */
  seek(limit: WalkBound, budget: ReadBudget): Promise<IndexEntry | "later" | undefined>;
}

/** The rows of several walks as those of one. */
class UnionWalk implements RowWalk {
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
class FieldWalk implements RowWalk {
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
