/** A store for very many rows: filled at the speed of a map, sorted when it is first read. It checks nothing. */

import { compareKeys, isBelow } from "../../server/storage/stores/store_key.ts";
import type { ListOptions, Store, StoreEntry, StoreKey } from "../../server/storage/stores/store.ts";

export interface BulkStore extends Store {
  /** Number of its calls. */
  readonly looks: { lists: number; rows: number; gets: number };
}

export function bulkStore(): BulkStore {
  const entries = new Map<string, StoreEntry>();
  const looks = { lists: 0, rows: 0, gets: 0 };
  let sorted: readonly StoreEntry[] | undefined;
  const get = (key: StoreKey) => {
    looks.gets++;
    return Promise.resolve(entries.get(JSON.stringify(key)));
  };
  const rowsBelow = (prefix: StoreKey, { after, reverse = false }: ListOptions): readonly StoreEntry[] => {
    const all = sorted ??= [...entries.values()].sort((a, b) => compareKeys(a.key, b.key));
    const first = placeOf(all, prefix);
    let last = first;
    while (last < all.length && isBelow(all[last]?.key ?? [], prefix) || isSame(all[last]?.key, prefix)) {
      last++;
    }
    const rows = all.slice(first, last).filter(({ key }) => isBelow(key, prefix));
    if (reverse) rows.reverse();
    if (after === undefined) return rows;
    return rows.filter(({ key }) => reverse ? compareKeys(key, after) < 0 : compareKeys(key, after) > 0);
  };
  return {
    looks,
    get,
    getMany: (keys) => Promise.all(keys.map(get)),
    list: (prefix, options = {}) => {
      const rows = rowsBelow(prefix, options).slice(0, options.limit ?? 100);
      looks.lists++;
      looks.rows += rows.length;
      return Promise.resolve(rows);
    },
    commit: ({ puts = [], deletes = [] }) => {
      sorted = undefined;
      for (const key of deletes) entries.delete(JSON.stringify(key));
      for (const { key, value } of puts) entries.set(JSON.stringify(key), { key, value, version: "1" });
      return Promise.resolve({ type: "ok", version: "1" });
    },
    health: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
}

const isSame = (key: StoreKey | undefined, other: StoreKey) =>
  key !== undefined && compareKeys(key, other) === 0;

/** The place of the first entry that does not come before the key. */
function placeOf(all: readonly StoreEntry[], key: StoreKey): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(all[middle]?.key ?? [], key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
