/** Removes rows whose time is over, where keys begin with a time. */

import type { Store, StoreEntry } from "../../../storage/stores/store.ts";

const PAGE = 500;

interface RemoveOldRowsOptions {
  /** First part of their keys; the second is the time. */
  readonly rows: string;
  readonly isOld: (entry: StoreEntry) => boolean;
  /** Rows removed at most. */
  readonly most: number;
}

/** Returns the number of rows that it removed. Rows of every process; two such jobs at once harm nothing. */
export async function removeOldRows(
  store: Store,
  { rows, isOld, most }: RemoveOldRowsOptions,
): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const entries = await store.list([rows], { limit: Math.min(PAGE, most - removed) });
    const old = entries.filter(isOld);
    if (old.length > 0) await store.commit({ deletes: old.map(({ key }) => key), small: true });
    removed += old.length;
    if (old.length < PAGE) return removed;
  }
  return removed;
}
