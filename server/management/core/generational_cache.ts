/**
 * A bounded cache in two generations: what was not used while a whole generation came in is forgotten. Nearly
 * as good as least-recently-used, and a hit costs one look-up and no re-ordering.
 */
export class GenerationalCache<V> {
  readonly #half: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Holds at most `max` entries, and at least half of that many of the latest. */
  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  /** Entries held; one that was used lately may count twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
