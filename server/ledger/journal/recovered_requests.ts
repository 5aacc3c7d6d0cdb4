/** What a run has left that did not end well: requests it never closed, and receipts that are only in its spool. */

import type { Store } from "../../stores/store.ts";
import type { CloseEntry, OpenEntry } from "./journal_batch.ts";
import { interruptedEntry } from "./interrupted_request.ts";
import { findId } from "../index/receipt_ids.ts";

export interface Leftovers {
  readonly open: readonly OpenEntry[];
  readonly spooled: readonly CloseEntry[];
  /** Ms since the epoch. */
  readonly now: number;
}

/** How each of the requests has ended: as its receipt in the spool says, or interrupted. */
export function endingsOf({ open, spooled, now }: Leftovers): readonly CloseEntry[] {
  const rest = new Map(spooled.map((entry) => [entry.receipt.id, entry]));
  const endings = open.map((request) => {
    const found = rest.get(request.id);
    rest.delete(request.id);
    return found ?? interruptedEntry(request, now);
  });
  return [...endings, ...rest.values()];
}

/** Those that have no receipt in the store: a spooled one may have reached it. */
export async function unwrittenOf(
  store: Store,
  entries: readonly CloseEntry[],
): Promise<readonly CloseEntry[]> {
  const unwritten: CloseEntry[] = [];
  for (const entry of entries) {
    if (await findId(store, entry.receipt.id) === undefined) unwritten.push(entry);
  }
  return unwritten;
}
