/**
 * The counters of the scopes that are in use: read from the store on first use, written with the receipts that
 * change them, forgotten when nobody has asked for a while. However many keys there are, none is read at start.
 */

import {
  type Store,
  type StoreEntry,
  StoreError,
  type StoreKey,
  type StorePut,
} from "../../../../storage/stores/store.ts";
import { SPEND_ROWS, SpendCounter, type SpendRow, toSpendRow } from "./spend_counter.ts";
import { compactRows, shouldCompact } from "./counter_compaction.ts";
import type { SpendScope } from "../ledger.ts";
import { ledgerUnavailable } from "../ledger_errors.ts";

const MAX_ROWS = 1_000;
const MAX_COUNTERS = 20_000;

interface CounterCacheOptions {
  readonly store: Store;
  /** Names this instance's rows. */
  readonly instance: string;
  /** Instances that are alive; undefined where no others write rows of the same scopes. */
  readonly liveInstances?: () => Promise<ReadonlySet<string>>;
  /** Counters to keep in memory beyond those in use. */
  readonly kept?: number;
}

export class CounterCache {
  readonly #options: CounterCacheOptions;
  readonly #counters = new Map<SpendScope, SpendCounter>();
  #missing: SpendCounter[] = [];
  /** Scopes that could not be read, each with its error. */
  // deno-lint-ignore tollgate/kept-promises -- it goes when the reading begins
  #reading: Promise<ReadonlyMap<SpendCounter, unknown>> | undefined;

  constructor(options: CounterCacheOptions) {
    this.#options = options;
  }

  /** The counter of a scope; see `load` for when it knows what was spent before. */
  get(scope: SpendScope): SpendCounter {
    const found = this.#counters.get(scope);
    if (found) {
      found.touched = true;
      return found;
    }
    const counter = new SpendCounter(scope);
    this.#counters.set(scope, counter);
    if (this.#counters.size > (this.#options.kept ?? MAX_COUNTERS)) this.#forget();
    return counter;
  }

  /** The counter of a scope that is in memory. */
  find(scope: SpendScope): SpendCounter | undefined {
    return this.#counters.get(scope);
  }

  /**
   * Resolves when the counter knows its row; undefined when it does already. All that is asked for at one moment
   * is read at once; a row that cannot be read fails its own counter only. Rejects with a StoreError, and the next
   * call tries again.
   */
  load(counter: SpendCounter): Promise<void> | undefined {
    if (counter.loaded) return undefined;
    if (counter.loading) return counter.loading;
    this.#missing.push(counter);
    this.#reading ??= Promise.resolve().then(() => this.#read());
    const loading = this.#reading.then((failures) => {
      if (failures.has(counter)) throw failures.get(counter);
    });
    counter.loading = loading;
    loading.catch(() => {
      // A caller who waits for it hears of a failure; nobody has to.
    });
    return loading;
  }

  /** Loads all of them. Rejects with an ApiError 503 when one cannot be read. */
  async loadAll(counters: readonly SpendCounter[]): Promise<void> {
    try {
      await Promise.all(counters.map((counter) => this.load(counter)));
    } catch (error) {
      throw ledgerUnavailable("current spend cannot be read", error);
    }
  }

  /** Reads anew what all instances have spent in a scope. */
  async refresh(counter: SpendCounter): Promise<void> {
    await this.load(counter);
    if (this.#options.liveInstances) await this.rowsOf(counter);
  }

  /** The rows of a scope as they are stored now, by instance. The counter takes over what others have spent. */
  async rowsOf(counter: SpendCounter): Promise<ReadonlyMap<string, SpendRow>> {
    const { scope } = counter;
    const entries = await this.#options.store.list([SPEND_ROWS, scope], { limit: MAX_ROWS });
    const rows = new Map(entries.map(({ key, value }) => [String(key[2]), toSpendRow(scope, value)]));
    if (shouldCompact(entries)) await this.#fold(scope, entries);
    counter.fillOthers(
      [...rows].flatMap(([instance, row]) => instance === this.#options.instance ? [] : [row]),
    );
    return rows;
  }

  put(counter: SpendCounter): StorePut {
    return { key: this.#key(counter.scope), value: counter.row() };
  }

  all(): Iterable<SpendCounter> {
    return this.#counters.values();
  }

  get size(): number {
    return this.#counters.size;
  }

  async #read(): Promise<ReadonlyMap<SpendCounter, unknown>> {
    const counters = this.#missing;
    this.#missing = [];
    this.#reading = undefined;
    const failures = new Map<SpendCounter, unknown>();
    try {
      const own = await this.#ownRows(counters);
      await Promise.all(counters.map(async (counter, at) => {
        try {
          if (this.#options.liveInstances) await this.rowsOf(counter);
          const entry = own ? own[at] : await this.#options.store.get(this.#key(counter.scope));
          counter.fill(entry ? toSpendRow(counter.scope, entry.value) : []);
        } catch (error) {
          failures.set(counter, error);
        }
      }));
    } finally {
      for (const counter of counters) counter.loading = undefined;
    }
    return failures;
  }

  /** Undefined where the store cannot read one of them: which one is found by reading each for itself. */
  async #ownRows(
    counters: readonly SpendCounter[],
  ): Promise<readonly (StoreEntry | undefined)[] | undefined> {
    try {
      return await this.#options.store.getMany(counters.map(({ scope }) => this.#key(scope)));
    } catch (error) {
      if (error instanceof StoreError && error.kind === "corrupt") return undefined;
      throw error;
    }
  }

  async #fold(scope: SpendScope, rows: readonly StoreEntry[]): Promise<void> {
    const { store, liveInstances } = this.#options;
    if (liveInstances) await compactRows(store, { scope, rows, live: await liveInstances() });
  }

  #key(scope: SpendScope): StoreKey {
    return [SPEND_ROWS, scope, this.#options.instance];
  }

  /** Second chance: what was not asked for since the last time goes, oldest first. */
  #forget(): void {
    let room = Math.ceil((this.#options.kept ?? MAX_COUNTERS) / 10);
    for (const [scope, counter] of this.#counters) {
      if (room === 0) return;
      if (!counter.idle) continue;
      if (counter.touched) {
        counter.touched = false;
        continue;
      }
      this.#counters.delete(scope);
      room--;
    }
  }
}
