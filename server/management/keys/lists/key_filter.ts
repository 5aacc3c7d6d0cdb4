/**
 * Which hashes belong to no key for certain, so that a flood of wrong keys does not ask the store for each. It is
 * for a store that nobody but this process writes: what is written from its start on is counted before it is, and
 * what was there already once there is a flood.
 */

import { bindStore } from "../../../storage/stores/bound_store.ts";
import type { Store, StoreKey } from "../../../storage/stores/store.ts";
import type { Clock } from "../../../runtime.ts";
import { keyHashInStoreKey, keyRowPrefix } from "../key_rows.ts";

interface KeyFilterOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Wrong keys that are asked for in the store before a key filter is worth its while. */
  readonly floodThreshold?: number;
}

/** A key is counted by the first six digits of its hash: two megabytes, and a million keys fill one bit in 17. */
const DIGITS = 6;
const BYTES = 16 ** DIGITS / 8;

const FLOOD = 1_000;
/** Rows are read this many at a time with a pause in between: there may be a million, and others ask meanwhile. */
const PAGE = 500;
const PAUSE_MS = 50;

export class KeyFilter {
  readonly #options: KeyFilterOptions;
  /** A bit for each beginning of a hash; those are set with which a key begins. */
  readonly #bits = new Uint8Array(BYTES);
  #state: "none" | "begun" | "taken" = "none";
  #wrong = 0;

  constructor(options: KeyFilterOptions) {
    this.#options = options;
  }

  /** The store through which whatever writes keys has to go. */
  get store(): Store {
    const { store } = this.#options;
    return {
      ...bindStore(store),
      commit: (commit) => {
        for (const put of commit.puts ?? []) this.#add(put.key);
        return store.commit(commit);
      },
    };
  }

  /** Whether it is certain that no key has this hash. */
  excludes(hash: string): boolean {
    if (this.#state !== "taken") return false;
    const at = placeOf(hash);
    return ((this.#bits[at >> 3] ?? 0) & (1 << (at & 7))) === 0;
  }

  /** To be called when the store was asked for a key that nobody has. */
  countUnknownKey(): void {
    const { floodThreshold = FLOOD } = this.#options;
    if (this.#state !== "none" || ++this.#wrong < floodThreshold) return;
    this.#wrong = 0;
    this.#take();
  }

  /** Never rejects. */
  async #take(): Promise<void> {
    const { store, clock } = this.#options;
    this.#state = "begun";
    try {
      let after: StoreKey | undefined;
      do {
        const page = await store.list(keyRowPrefix, { after, limit: PAGE });
        for (const { key } of page) this.#add(key);
        after = page.length < PAGE ? undefined : page.at(-1)?.key;
        if (after !== undefined) await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
      } while (after !== undefined);
      this.#state = "taken";
    } catch {
      // A caller who asks the store now is told that it fails; the next flood tries again.
      this.#state = "none";
    }
  }

  #add(key: StoreKey): void {
    const hash = keyHashInStoreKey(key);
    if (hash === undefined) return;
    const at = placeOf(hash);
    this.#bits[at >> 3] = (this.#bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
}

const placeOf = (hash: string): number => Number.parseInt(hash.slice(0, DIGITS), 16);
