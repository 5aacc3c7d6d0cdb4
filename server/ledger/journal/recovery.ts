/** Reads what an instance has left in its journal: where it ended, and which requests it never closed. */

import { type Entry, type Store, StoreError, type StoreKey } from "../../stores/store.ts";
import { blockKey, JOURNAL, type OpenEntry, type Outline, toOutline } from "./journal_batch.ts";

/** Blocks read at a time: up to 3 MB. */
const PAGE = 50;

export interface Left {
  /** The block that would come next. */
  readonly seq: number;
  /** The oldest block that they need. */
  readonly low: number;
  /** Requests without a receipt. */
  readonly open: readonly OpenEntry[];
  /** Who has declared the instance dead. */
  readonly fence: string | undefined;
}

/** Throws a StoreError. */
export async function readLeft(store: Store, instance: string): Promise<Left> {
  const [last] = await store.list([JOURNAL, instance], { reverse: true, limit: 1 });
  if (!last) return { seq: 0, low: 0, open: [], fence: undefined };
  const { low, fence } = await newestOutline(store, { instance, last });
  const end = seqOf(last.key);
  const open = new Map<string, OpenEntry>();
  for (let after = low - 1; after < end;) {
    const page = await store.list([JOURNAL, instance], { after: blockKey(instance, after), limit: PAGE });
    for (const entry of page) {
      // What a damaged block says is lost: a request that it closes is closed again, unless its receipt is found.
      const outline = outlineOf(entry);
      if (outline !== undefined) fold(open, outline);
    }
    const next = page.at(-1);
    after = next ? seqOf(next.key) : end;
  }
  return { seq: end + 1, low, open: [...open.values()], fence };
}

interface Last {
  readonly instance: string;
  readonly last: Entry;
}

/**
 * What the newest block says of those before it. Of a damaged one the next older that can be read tells nearly the
 * same: the oldest block that it needs is no newer.
 */
export async function newestOutline(
  store: Store,
  { instance, last }: Last,
): Promise<Pick<Outline, "low"> & { readonly fence?: string | undefined }> {
  for (let entry: Entry | undefined = last; entry !== undefined;) {
    const outline = outlineOf(entry);
    if (outline !== undefined) return entry === last ? outline : { low: outline.low };
    [entry] = await store.list([JOURNAL, instance], { after: entry.key, reverse: true, limit: 1 });
  }
  return { low: 0 };
}

/** Undefined for a damaged block. */
export function outlineOf(entry: Entry): Outline | undefined {
  try {
    return toOutline(entry);
  } catch (error) {
    if (error instanceof StoreError && error.kind === "corrupt") return undefined;
    throw error;
  }
}

type OutlineEntry = Outline["entries"][number];
type Moves = (OutlineEntry & { readonly type: "progress" })["holds"];

/** Applies a block to what is open. */
function fold(open: Map<string, OpenEntry>, { entries }: Outline): void {
  for (const entry of entries) apply(open, entry);
}

function apply(open: Map<string, OpenEntry>, entry: OutlineEntry): void {
  switch (entry.type) {
    case "open":
      open.set(entry.id, entry);
      return;
    case "progress": {
      const before = open.get(entry.id);
      // Told before the block we began with: that request has been closed, or is told again.
      if (before) open.set(entry.id, moved(before, entry.holds));
      return;
    }
    case "close":
      open.delete(entry.receipt.id);
      return;
    default:
      return entry satisfies never;
  }
}

function moved(before: OpenEntry, holds: Moves): OpenEntry {
  const changes = new Map(holds.map((hold) => [hold[0], hold]));
  return {
    ...before,
    holds: before.holds.map((hold) => {
      const change = changes.get(hold.n);
      if (!change) return hold;
      const [, reserved, cost, byok, done] = change;
      return { ...hold, reserved, cost, byok, done: done === 1 };
    }),
  };
}

function seqOf(key: StoreKey): number {
  return Number(key[2]);
}
