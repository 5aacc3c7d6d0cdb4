/** A store in memory, for tests and for trying things out. It keeps every limit of the real ones. */

import { decodeSplitValue, decodeWholeValue, type EncodedValue } from "./encode_value.ts";
import { assertKey, compareKeys, isBelow } from "./store_key.ts";
import { type ListPage, prepareCommit, prepareList } from "./prepare_commit.ts";
import { topicsOf } from "./change_topics.ts";
import type {
  CommitResult,
  ListOptions,
  Store,
  StoreCommit,
  StoreEntry,
  StoreHealth,
  StoreKey,
  TopicListener,
} from "./store.ts";
import { StoreError } from "./store.ts";

const MAX_CHECKS = 100;

interface Row {
  readonly key: StoreKey;
  readonly encoded: EncodedValue;
  readonly version: string;
}

/** A row's chunk, and its place within. */
interface Place {
  readonly rows: Row[];
  readonly piece: number;
  readonly at: number;
  readonly row: Row | undefined;
}

/** Rows of a chunk before it is cut in two. */
const MAX_PIECE = 512;

export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  /** Sorted by key, in chunks: rows move up and down within their chunk only. None is empty but the only one. */
  readonly #chunks: Row[][] = [[]];
  readonly #listeners = new Set<{ readonly hear: TopicListener }>();
  #writes = 0;
  #closed = false;

  get(key: StoreKey): Promise<StoreEntry | undefined> {
    return this.#run(() => this.#read(key));
  }

  getMany(keys: readonly StoreKey[]): Promise<readonly (StoreEntry | undefined)[]> {
    return this.#run(() => keys.map((key) => this.#read(key)));
  }

  list(prefix: StoreKey, options: ListOptions = {}): Promise<readonly StoreEntry[]> {
    return this.#run(() => {
      const page = prepareList(prefix, options);
      const rows = this.#chunks.flat().filter(({ key }) => isBelow(key, prefix) && isPast(key, page));
      if (page.reverse) rows.reverse();
      return rows.slice(0, page.limit).map(toEntry);
    });
  }

  commit(commit: StoreCommit): Promise<CommitResult> {
    return this.#run(() => {
      const { checks, puts, deletes } = prepareCommit(commit, MAX_CHECKS);
      const holds = checks.every(({ key, version }) => (this.#find(key).row?.version ?? null) === version);
      if (!holds) return { type: "conflict" } as const;
      const version = String(++this.#writes).padStart(12, "0");
      for (const key of deletes) this.#replace(key);
      for (const { key, encoded } of puts) this.#replace(key, { key: [...key], encoded, version });
      this.#announce(topicsOf(puts.map(({ key }) => key)));
      return { type: "ok", version } as const;
    });
  }

  listen(hear: TopicListener): Promise<() => Promise<void>> {
    return this.#run(() => {
      const listener = { hear };
      this.#listeners.add(listener);
      return () => {
        this.#listeners.delete(listener);
        return Promise.resolve();
      };
    });
  }

  health(): Promise<StoreHealth> {
    return Promise.resolve(this.#closed ? { ok: false, reason: "the store is closed" } : { ok: true });
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  #run<T>(work: () => T): Promise<T> {
    return Promise.resolve().then(() => {
      if (this.#closed) throw new StoreError("unavailable", "Cannot use the store: it is closed");
      return work();
    });
  }

  #announce(topics: readonly string[]): void {
    for (const topic of topics) {
      for (const { hear } of this.#listeners) hear(topic);
    }
  }

  #read(key: StoreKey): StoreEntry | undefined {
    assertKey(key);
    const { row } = this.#find(key);
    return row && toEntry(row);
  }

  #replace(key: StoreKey, row?: Row): void {
    const { rows, piece, at, row: old } = this.#find(key);
    rows.splice(at, old ? 1 : 0, ...(row ? [row] : []));
    if (rows.length > MAX_PIECE) this.#chunks.splice(piece + 1, 0, rows.splice(MAX_PIECE / 2));
    if (rows.length === 0 && this.#chunks.length > 1) this.#chunks.splice(piece, 1);
  }

  /** Where the key stands or would stand. */
  #find(key: StoreKey): Place {
    const after = firstBehind(
      this.#chunks,
      ([first]) => first !== undefined && compareKeys(first.key, key) <= 0,
    );
    const chunk = Math.max(0, after - 1);
    const rows = this.#chunks[chunk] ?? [];
    const at = firstBehind(rows, (row) => compareKeys(row.key, key) < 0);
    const row = rows[at];
    return { rows, piece: chunk, at, row: row && compareKeys(row.key, key) === 0 ? row : undefined };
  }
}

/** How many of the first entries, one after another, are in front; the others are not. */
function firstBehind<T>(sorted: readonly T[], isInFront: (entry: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = sorted[middle];
    if (entry !== undefined && isInFront(entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isPast(key: StoreKey, { after, reverse }: ListPage): boolean {
  if (!after) return true;
  return reverse ? compareKeys(key, after) < 0 : compareKeys(key, after) > 0;
}

function toEntry({ key, encoded, version }: Row): StoreEntry {
  const value = encoded.type === "whole"
    ? decodeWholeValue(encoded.stored)
    : decodeSplitValue(encoded.format, encoded.chunks);
  return { key: [...key], value, version };
}
