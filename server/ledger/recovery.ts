/** Reads what an instance has left in its journal: where it ended, and which requests it never closed. */

import type { Store, StoreKey } from "../stores/store.ts";
import { blockKey, JOURNAL, type OpenEntry, type Outline, toOutline } from "./entries.ts";

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
  const { low, fence } = toOutline(last);
  const end = seqOf(last.key);
  const open = new Map<string, OpenEntry>();
  for (let after = low - 1; after < end;) {
    const page = await store.list([JOURNAL, instance], { after: blockKey(instance, after), limit: PAGE });
    for (const entry of page) fold(open, toOutline(entry));
    const next = page.at(-1);
    after = next ? seqOf(next.key) : end;
  }
  return { seq: end + 1, low, open: [...open.values()], fence };
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
