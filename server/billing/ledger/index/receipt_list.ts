/**
 * Lists receipts by what the index has rows for, newest first and a page at a time. With several filters their rows
 * are walked side by side and batches are read only where all of them agree.
 */

import { type Receipt, receiptStatuses } from "../../../../shared/receipts.ts";
import type { KeyPart, Store } from "../../../storage/stores/store.ts";
import type { BatchRange } from "../projection/projection_part.ts";
import { compareKeyTails, type ReceiptCursor } from "./receipt_cursor.ts";
import {
  indexPrefix,
  type ReceiptField,
  receiptFields,
  sharedIndexPrefix,
  toKeyPart,
} from "./receipt_index.ts";
import {
  FieldWalk,
  type IndexEntry,
  type ReadBudget,
  type RowWalk,
  UnionWalk,
  type WalkBound,
} from "./row_walk.ts";

/** Where the receipts of a projection come from. */
export interface BatchReceiptReader {
  /**
   * Receipts of one projection, by their places. Those that were removed are left out; undefined stands for one
   * that is damaged. Throws a StoreError.
   */
  receiptsAt(span: BatchRange, places: readonly number[]): Promise<readonly (Receipt | undefined)[]>;
}

interface ReceiptListDeps {
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

interface ReceiptPage {
  /** Newest first. */
  readonly receipts: readonly Receipt[];
  /** Receipts that belong here and cannot be read any more. */
  readonly missing: number;
  /** Where the next page begins; undefined at the end. A page may be short, even empty, and still have one. */
  readonly next?: ReceiptCursor;
}

/** Index rows read at a time. */
const MAX_LOOKS = 200;
/** One look for each filter, where that of keys has rows of two kinds, or each status gets further in any case. */
const LEAST_LOOKS = Math.max(receiptFields.length + 1, receiptStatuses.length);

export async function listReceipts(deps: ReceiptListDeps, query: ReceiptQuery): Promise<ReceiptPage> {
  const { places, next } = await findPlaces(deps, query);
  const found: (Receipt | undefined)[] = [];
  // One after another: a batch is decoded as a whole, and others have their turn in between.
  for (const { tail, places: wanted } of places) {
    found.push(...await deps.batches.receiptsAt(spanOf(tail), wanted));
  }
  const receipts = found.filter((receipt) => receipt !== undefined);
  const page = { receipts, missing: found.length - receipts.length };
  return next === undefined ? page : { ...page, next };
}

/** Reads the batch range that stands in an index row's key behind the time. */
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

/** Position of a cursor that stands before a whole batch. */
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

interface JoinInput {
  readonly from: WalkBound;
  readonly budget: ReadBudget;
}

type JoinResult =
  | { readonly tail: readonly KeyPart[]; readonly places: readonly number[] }
  /** The budget is used up, and this is how far it went. */
  | { readonly next: ReceiptCursor; readonly places?: undefined };

/** The newest batch from the bound on that every walk names; undefined when there is none. */
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
