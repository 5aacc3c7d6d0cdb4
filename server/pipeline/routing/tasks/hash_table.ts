/** Finds the position of a 32-bit hash in a list that does not change. */

/** Position of a hash, or -1; `size` is above every position. */
export interface GramTable {
  readonly size: number;
  find(hash: number): number;
}

/** Open addressing in two flat arrays, at most half full. */
export class HashTable implements GramTable {
  readonly size: number;
  readonly #mask: number;
  readonly #keys: Int32Array;
  /** Position + 1; 0 for an empty slot. */
  readonly #positions: Int32Array;

  /** Where a hash is listed twice, its first position stands. */
  constructor(hashes: ArrayLike<number>) {
    this.size = hashes.length;
    let slots = 16;
    while (slots < 2 * hashes.length) slots *= 2;
    this.#mask = slots - 1;
    this.#keys = new Int32Array(slots);
    this.#positions = new Int32Array(slots);
    for (let position = 0; position < hashes.length; position++) {
      const hash = hashes[position] ?? 0;
      if (this.find(hash) >= 0) continue;
      const slot = this.#slotOf(hash);
      this.#keys[slot] = hash;
      this.#positions[slot] = position + 1;
    }
  }

  find(hash: number): number {
    return (this.#positions[this.#slotOf(hash)] ?? 0) - 1;
  }

  /** The slot that holds the hash, else the empty one where it belongs. */
  #slotOf(hash: number): number {
    let slot = (hash ^ (hash >>> 16)) & this.#mask;
    while (this.#positions[slot] !== 0 && this.#keys[slot] !== (hash | 0)) slot = (slot + 1) & this.#mask;
    return slot;
  }
}
