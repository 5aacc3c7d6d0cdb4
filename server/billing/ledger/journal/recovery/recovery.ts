/** Reads what an instance has left in its journal: where it ended, and which requests it never closed. */

import { type Store, type StoreEntry, StoreError, type StoreKey } from "../../../../storage/stores/store.ts";
import { PROJECTION_ROWS } from "../../projection/projection_part.ts";
import { lastRetired, toSeq } from "./missing_batches.ts";
import {
  batchKey,
  type BatchOutline,
  decodeOutline,
  JOURNAL_ROWS,
  type OpenEntry,
} from "../journal_batch.ts";

/** Batches read at a time: up to 3 MB. */
const PAGE = 50;

interface RecoveredJournal {
  /** The batch that would come next. */
  readonly seq: number;
  /** The oldest batch that they need. */
  readonly low: number;
  /** Requests without a receipt. */
  readonly open: readonly OpenEntry[];
  /** Instance that has declared this one dead. */
  readonly fence: string | undefined;
}

/** Throws a StoreError. */
export async function recoverJournal(store: Store, instance: string): Promise<RecoveredJournal> {
  const [last] = await store.list([JOURNAL_ROWS, instance], { reverse: true, limit: 1 });
  // A batch that was projected and is gone is missing: another one in its place would be read for it.
  const next = 1 + Math.max(await lastProjected(store, instance), await lastRetired(store, instance));
  if (!last) return { seq: next, low: next, open: [], fence: undefined };
  const { low, fence } = await newestOutline(store, { instance, last });
  const end = seqOf(last.key);
  const open = new Map<string, OpenEntry>();
  for (let after = low - 1; after < end;) {
    const page = await store.list([JOURNAL_ROWS, instance], {
      after: batchKey(instance, after),
      limit: PAGE,
    });
    for (const entry of page) {
      // What a damaged batch says is lost: a request that it closes is closed again, unless its receipt is found.
      const outline = outlineOf(entry);
      if (outline !== undefined) replay(open, outline);
    }
    const newest = page.at(-1);
    after = newest ? seqOf(newest.key) : end;
  }
  return { seq: Math.max(end + 1, next), low, open: [...open.values()], fence };
}

/** The last batch that a projection names; -1 where there is none. */
async function lastProjected(store: Store, instance: string): Promise<number> {
  const [newest] = await store.list([PROJECTION_ROWS, instance], { reverse: true, limit: 1 });
  return toSeq(newest?.value);
}

interface Last {
  readonly instance: string;
  readonly last: StoreEntry;
}

/**
 * Reads the newest batch's outline of the journal before it. Of a damaged one the next older that can be read tells
 * nearly the same: the oldest batch that it needs is no newer.
 */
export async function newestOutline(
  store: Store,
  { instance, last }: Last,
): Promise<Pick<BatchOutline, "low"> & { readonly fence?: string | undefined }> {
  for (let entry: StoreEntry | undefined = last; entry !== undefined;) {
    const outline = outlineOf(entry);
    if (outline !== undefined) return entry === last ? outline : { low: outline.low };
    [entry] = await store.list([JOURNAL_ROWS, instance], { after: entry.key, reverse: true, limit: 1 });
  }
  return { low: 0 };
}

/** Undefined for a damaged batch. */
export function outlineOf(entry: StoreEntry): BatchOutline | undefined {
  try {
    return decodeOutline(entry);
  } catch (error) {
    if (error instanceof StoreError && error.kind === "corrupt") return undefined;
    throw error;
  }
}

type OutlineEntry = BatchOutline["entries"][number];
type ProgressEntry = (OutlineEntry & { readonly type: "progress" })["holds"];

/** Applies a batch to what is open. */
function replay(open: Map<string, OpenEntry>, { entries }: BatchOutline): void {
  for (const entry of entries) applyEntry(open, entry);
}

function applyEntry(open: Map<string, OpenEntry>, entry: OutlineEntry): void {
  switch (entry.type) {
    case "open":
      open.set(entry.id, entry);
      return;
    case "progress": {
      const before = open.get(entry.id);
      // Told before the batch we began with: that request has been closed, or is told again.
      if (before) open.set(entry.id, applyProgress(before, entry.holds));
      return;
    }
    case "close":
      open.delete(entry.receipt.id);
      return;
    default:
      return entry satisfies never;
  }
}

function applyProgress(before: OpenEntry, reservations: ProgressEntry): OpenEntry {
  const changes = new Map(reservations.map((reservation) => [reservation[0], reservation]));
  return {
    ...before,
    holds: before.holds.map((reservation) => {
      const change = changes.get(reservation.n);
      if (!change) return reservation;
      const [, reserved, cost, byok, done] = change;
      return { ...reservation, reserved, cost, byok, done: done === 1 };
    }),
  };
}

function seqOf(key: StoreKey): number {
  return Number(key[2]);
}
