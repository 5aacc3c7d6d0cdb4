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
   * Receipts of one projection, by their places and in their order. Those that were removed are left out. Throws a
   * StoreError.
   */
  receiptsAt(span: BatchRange, places: readonly number[]): Promise<readonly PlacedReceipt[]>;
}

interface PlacedReceipt {
  readonly place: number;
  /** Undefined for one that is damaged. */
  readonly receipt: Receipt | undefined;
}

interface ReceiptListDeps {
  readonly store: Store;
  readonly batches: BatchReceiptReader;
  /** Looks at the index for one page; filters that almost never agree end a page early. */
  readonly maxRowReads?: number;
  /** Tells how long a page has taken; absent: it takes as long as it takes. */
  readonly clock?: { monotonic(): number };
}

export interface ReceiptQuery {
  readonly filters: ReceiptFields;
  /** Hashes of keys, each of which may have been the one; beside the filters. */
  readonly keys?: ReadonlySet<string>;
  /** Ms since the epoch: what ended from `since` on, and before `until`. */
  readonly since?: number;
  readonly until?: number;
  /** Further receipts that are left out; those that the index finds are looked through. */
  readonly test?: (receipt: Receipt) => boolean;
  /** Only what is older than this. */
  readonly before?: ReceiptCursor;
  /** 1 to 100. */
  readonly limit: number;
}

export type ReceiptFields = { readonly [F in ReceiptField]?: string };

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
/** Receipts that one page looks through, and milliseconds that it takes, where not all of them are wanted. */
export const MAX_SCANNED = 2_000;
const MAX_SCAN_MS = 50;
/** Receipts that are read at a time where not all of them are wanted. */
const CHUNK = 100;
/** A row of the index has the time of its last receipt; the first of them ended less than this before. */
const ROW_MS = 60_000;

export async function listReceipts(deps: ReceiptListDeps, query: ReceiptQuery): Promise<ReceiptPage> {
  const { limit, since = -Infinity } = query;
  const takes = testOf(query);
  const looks = Math.max(deps.maxRowReads ?? MAX_LOOKS, LEAST_LOOKS, 2 * (query.keys?.size ?? 0) + 1);
  const budget = { looks, ...scanBudget(deps) };
  const page = { receipts: new Array<Receipt>(), missing: 0 };
  for (let before = query.before ?? beginningOf(query);;) {
    const wanted = takes === undefined ? limit - page.receipts.length - page.missing : CHUNK;
    const { places, next } = await findPlaces(deps, { ...query, before, limit: wanted, budget });
    // One after another: a batch is decoded as a whole, and others have their turn in between.
    for (const { tail, places: inRow } of places) {
      if (Number(tail[0]) < since) return page;
      for (const { place, receipt } of await deps.batches.receiptsAt(spanOf(tail), inRow)) {
        if (receipt === undefined) page.missing++;
        else if (takes?.(receipt) ?? true) page.receipts.push(receipt);
        if (takes !== undefined && page.receipts.length === limit) return { ...page, next: { tail, place } };
      }
      budget.receipts -= inRow.length;
      const last = inRow.at(-1);
      if (takes !== undefined && last !== undefined && isSpent(budget)) {
        return { ...page, next: { tail, place: last } };
      }
    }
    if (next === undefined) return page;
    if (takes === undefined || budget.looks <= 0) return { ...page, next };
    before = next;
  }
}

/** Undefined where the index alone finds what is wanted. */
function testOf({ since, until, test }: ReceiptQuery): ((receipt: Receipt) => boolean) | undefined {
  if (since === undefined && until === undefined) return test;
  return (receipt) => {
    const ended = Date.parse(receipt.ended_at);
    return ended >= (since ?? -Infinity) && ended < (until ?? Infinity) && (test?.(receipt) ?? true);
  };
}

interface ScanBudget {
  /** Receipts that may still be looked through. */
  receipts: number;
  readonly isOver: () => boolean;
}

function scanBudget({ clock }: ReceiptListDeps): ScanBudget {
  const end = (clock?.monotonic() ?? 0) + MAX_SCAN_MS;
  return { receipts: MAX_SCANNED, isOver: () => clock !== undefined && clock.monotonic() >= end };
}

const isSpent = ({ receipts, isOver }: ScanBudget): boolean => receipts <= 0 || isOver();

/** Place of the first row that may have what ended before `until`. */
const beginningOf = ({ until }: ReceiptQuery): ReceiptCursor | undefined =>
  until === undefined ? undefined : { tail: [until + ROW_MS], place: 0 };

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

interface PlaceQuery extends Pick<ReceiptQuery, "filters" | "keys" | "before" | "limit"> {
  readonly budget: ReadBudget;
}

async function findPlaces(
  deps: ReceiptListDeps,
  { before, limit, budget, ...query }: PlaceQuery,
): Promise<Found> {
  const walks = walksOf(deps.store, query);
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

function walksOf(
  store: Store,
  { filters, keys }: Pick<ReceiptQuery, "filters" | "keys">,
): readonly RowWalk[] {
  const walks = receiptFields.flatMap((field) => {
    const value = filters[field];
    return value === undefined ? [] : [walkOf(store, { field, value })];
  });
  if (keys !== undefined) {
    walks.push(new UnionWalk([...keys].map((value) => walkOf(store, { field: "key", value }))));
  }
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
