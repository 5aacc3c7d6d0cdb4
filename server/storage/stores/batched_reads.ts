/**
 * A store whose single reads gather: those that come while one is under way are the next one, together, because a
 * read of many keys costs little more than a read of one. A lone read waits for nothing.
 */

import { bindStore } from "./bound_store.ts";
import { type Store, type StoreEntry, StoreError, type StoreKey } from "./store.ts";

/** Keys of one read. */
const MAX_KEYS = 100;

export function batchReads(store: Store): Store {
  const reads = new Reads(store);
  return { ...bindStore(store), get: (key) => reads.get(key) };
}

interface PendingRead {
  readonly key: StoreKey;
  readonly resolve: (entry: StoreEntry | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

class Reads {
  readonly #store: Pick<Store, "get" | "getMany">;
  readonly #waiting: PendingRead[] = [];
  #reading = false;

  constructor(store: Pick<Store, "get" | "getMany">) {
    this.#store = store;
  }

  get(key: StoreKey): Promise<StoreEntry | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (!this.#reading) this.#drain();
    });
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    this.#reading = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_KEYS);
      const [first] = group;
      if (group.length === 1 && first) await this.#alone(first);
      else await this.#together(group);
    }
    this.#reading = false;
  }

  async #alone({ key, resolve, reject }: PendingRead): Promise<void> {
    try {
      resolve(await this.#store.get(key));
    } catch (error) {
      this.#failed([{ key, resolve, reject }], error);
    }
  }

  async #together(group: readonly PendingRead[]): Promise<void> {
    try {
      const entries = await this.#store.getMany(group.map(({ key }) => key));
      group.forEach(({ resolve }, at) => resolve(entries[at]));
    } catch (error) {
      // One entry that cannot be read must not keep the others from being read.
      if (isOf(error, "corrupt")) await Promise.all(group.map((requested) => this.#alone(requested)));
      else this.#failed(group, error);
    }
  }

  /**
   * Rejects a group of reads; after a time-out those that wait as well, so that none waits for the store a second
   * time.
   */
  #failed(group: readonly PendingRead[], error: unknown): void {
    const failed = isOf(error, "timeout") ? [...group, ...this.#waiting.splice(0)] : group;
    for (const { reject } of failed) reject(error);
  }
}

const isOf = (error: unknown, kind: StoreError["kind"]) => error instanceof StoreError && error.kind === kind;
