/** Finds the position of a 32-bit hash in a list that does not change. */

/** Position of a hash, or -1; `size` is above every position. */
export interface GramTable {
  readonly size: number;
  find(hash: number): number;
}

/** Open addressing in one flat array, at most half full: in each slot a hash and its position + 1, or 0 where it is empty. */
export class HashTable implements GramTable {
  readonly size: number;
  readonly #mask: number;
  readonly #slots: Int32Array;

  /** Where a hash is listed twice, its first position stands. */
  constructor(hashes: ArrayLike<number>) {
    this.size = hashes.length;
    let slots = 16;
    while (slots < 2 * hashes.length) slots *= 2;
    this.#mask = 2 * slots - 1;
    this.#slots = new Int32Array(2 * slots);
    for (let position = 0; position < hashes.length; position++) {
      const hash = hashes[position] ?? 0;
      const slot = this.#slotOf(hash);
      if (this.#slots[slot + 1] !== 0) continue;
      this.#slots[slot] = hash;
      this.#slots[slot + 1] = position + 1;
    }
  }

  find(hash: number): number {
    return (this.#slots[this.#slotOf(hash) + 1] ?? 0) - 1;
  }

  /** The slot that holds the hash, else the empty one where it belongs. */
  #slotOf(hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = ((hash ^ (hash >>> 16)) << 1) & mask;
    while (slots[slot + 1] !== 0 && slots[slot] !== hash) slot = (slot + 2) & mask;
    return slot;
  }
}
