/** Pages of a list that goes on behind a cursor: forward to the next, back through those that were seen. */

import { computed, signal } from "@preact/signals";

export interface CursorPagesOptions {
  /** Items on a page. */
  readonly size: number;
  /** Of the page behind the one that is shown; undefined behind the last. */
  readonly nextCursor: () => string | undefined;
  /** Reads the page of `cursor`. */
  readonly load: () => Promise<void>;
}

export class CursorPages {
  readonly #options: CursorPagesOptions;
  /** Of the pages before this one and of this one; the first page has none. */
  readonly #cursors = signal<readonly string[]>([]);

  constructor(options: CursorPagesOptions) {
    this.#options = options;
  }

  /** Of the page that is shown; undefined for the first. */
  get cursor(): string | undefined {
    return this.#cursors.value.at(-1);
  }

  readonly hasPrevious = computed(() => this.#cursors.value.length > 0);
  readonly hasNext = computed(() => this.#options.nextCursor() !== undefined);
  /** The number of the first item of this page, from 1. */
  readonly firstNumber = computed(() => this.#cursors.value.length * this.#options.size + 1);

  /** Reads the first page. */
  async restart(): Promise<void> {
    this.#cursors.value = [];
    await this.#options.load();
  }

  async next(): Promise<void> {
    const cursor = this.#options.nextCursor();
    if (cursor === undefined) return;
    this.#cursors.value = [...this.#cursors.value, cursor];
    await this.#options.load();
  }

  async previous(): Promise<void> {
    this.#cursors.value = this.#cursors.value.slice(0, -1);
    await this.#options.load();
  }
}
