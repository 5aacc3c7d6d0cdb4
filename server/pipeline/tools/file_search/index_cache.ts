/** Indexes in memory, within a bound: those that were not used for longest go first. */

import type { FileIndex } from "./file_index.ts";

export class IndexCache {
  readonly #mostBytes: number;
  readonly #indexes = new Map<string, FileIndex>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): FileIndex | undefined {
    const found = this.#indexes.get(id);
    if (found === undefined) return undefined;
    this.#indexes.delete(id);
    this.#indexes.set(id, found);
    return found;
  }

  add(id: string, index: FileIndex): void {
    this.delete(id);
    this.#indexes.set(id, index);
    this.#bytes += index.size;
    for (const [oldest] of this.#indexes) {
      if (this.#bytes <= this.#mostBytes) return;
      this.delete(oldest);
    }
  }

  delete(id: string): void {
    this.#bytes -= this.#indexes.get(id)?.size ?? 0;
    this.#indexes.delete(id);
  }
}
