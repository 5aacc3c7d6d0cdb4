/** The rows of a KV database in memory, in the order of their keys' bytes. */

export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** How the value is written: a number of the protocol. */
  readonly encoding: number;
  readonly versionstamp: Uint8Array;
}

export interface Range {
  /** The first key of it. */
  readonly start: Uint8Array;
  /** The first key behind it. */
  readonly end: Uint8Array;
  readonly limit: number;
  readonly reverse: boolean;
}

/** Texts of one character a byte have the order of the bytes. */
const textOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

export class OrderedRows {
  readonly #rows = new Map<string, Row>();
  #keys: string[] = [];

  get(key: Uint8Array): Row | undefined {
    return this.#rows.get(textOf(key));
  }

  set(row: Row): void {
    const text = textOf(row.key);
    if (!this.#rows.has(text)) this.#keys.splice(this.#place(text), 0, text);
    this.#rows.set(text, row);
  }

  delete(key: Uint8Array): void {
    const text = textOf(key);
    if (this.#rows.delete(text)) this.#keys.splice(this.#place(text), 1);
  }

  list({ start, end, limit, reverse }: Range): readonly Row[] {
    const [from, to] = [this.#place(textOf(start)), this.#place(textOf(end))];
    const keys = reverse
      ? this.#keys.slice(Math.max(from, to - limit), to).reverse()
      : this.#keys.slice(from, Math.min(to, from + limit));
    return keys.flatMap((key) => this.#rows.get(key) ?? []);
  }

  /** How many keys begin with these bytes. */
  count(beginning: Uint8Array): number {
    const text = textOf(beginning);
    return this.#keys.filter((key) => key.startsWith(text)).length;
  }

  /** Where a key stands, or would. */
  #place(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
