/** Requests that a run left open, and receipts that are only in its spool. */

import type { Store } from "../../../../storage/stores/store.ts";
import type { CloseEntry, OpenEntry } from "../journal_batch.ts";
import { interruptedCloseEntry } from "./interrupted_request.ts";
import { locateReceipt } from "../../index/receipt_ids.ts";

interface RecoveredState {
  readonly open: readonly OpenEntry[];
  readonly spooled: readonly CloseEntry[];
  /** Ms since the epoch. */
  readonly now: number;
}

/** How each of the requests has ended: as its receipt in the spool says, or interrupted. */
export function closeEntriesOf({ open, spooled, now }: RecoveredState): readonly CloseEntry[] {
  const rest = new Map(spooled.map((entry) => [entry.receipt.id, entry]));
  const endings = open.map((request) => {
    const found = rest.get(request.id);
    rest.delete(request.id);
    return found ?? interruptedCloseEntry(request, now);
  });
  return [...endings, ...rest.values()];
}

/** Filters out the entries whose receipt is in the store: a spooled receipt may have reached it. */
export async function withoutStoredReceipts(
  store: Store,
  entries: readonly CloseEntry[],
): Promise<readonly CloseEntry[]> {
  const unwritten: CloseEntry[] = [];
  for (const entry of entries) {
    if (await locateReceipt(store, entry.receipt.id) === undefined) unwritten.push(entry);
  }
  return unwritten;
}
