/** Pages of a list that goes on behind a cursor: forward to the next, back through those that were seen. */

import { computed } from "@preact/signals";
import { createResource, type Resource } from "../resource.ts";

interface CursorPagesOptions<T> {
  /** Items on a page. */
  readonly size: number;
  /** Reads the page of `cursor`; undefined means the first one. */
  readonly read: (cursor: string | undefined, abort: AbortSignal) => Promise<T>;
  /** Cursor of the page behind this one; undefined behind the last. */
  readonly nextCursor: (page: T) => string | undefined;
}

interface ShownPage<T> {
  /** Cursors of the pages before this one and of this one; the first page has none. */
  readonly cursors: readonly string[];
  readonly page: T;
}

/** A page and its place change together, when the page was read: until then the page before is shown whole. */
export class CursorPages<T> implements Resource<T> {
  readonly #options: CursorPagesOptions<T>;
  /** Cursors of the page that is shown or being read. */
  #cursors: readonly string[] = [];
  readonly #shown: Resource<ShownPage<T>> = createResource(async (abort) => {
    const cursors = this.#cursors;
    return { cursors, page: await this.#options.read(cursors.at(-1), abort) };
  });

  constructor(options: CursorPagesOptions<T>) {
    this.#options = options;
  }

  readonly data = computed(() => this.#shown.data.value?.page);
  readonly loading = this.#shown.loading;
  readonly failure = this.#shown.failure;
  readonly #place = computed(() => this.#shown.data.value?.cursors.length ?? 0);
  readonly #next = computed(() => {
    const page = this.data.value;
    return page === undefined ? undefined : this.#options.nextCursor(page);
  });
  readonly hasPrevious = computed(() => this.#place.value > 0);
  readonly hasNext = computed(() => this.#next.value !== undefined);
  /** The number of the first item of this page, from 1. */
  readonly firstNumber = computed(() => this.#place.value * this.#options.size + 1);

  /** Reads the page again, or the one whose reading failed. */
  load(): Promise<void> {
    return this.#shown.load();
  }

  /** Reads the page again once rows of it are deleted, or the page before where no row is `left`. */
  loadAfterRemoval({ left }: { readonly left: number }): Promise<void> {
    return left === 0 && this.hasPrevious.peek() ? this.previous() : this.load();
  }

  set(page: T): void {
    const shown = this.#shown.data.peek();
    if (shown !== undefined) this.#shown.set({ ...shown, page });
  }

  stop(): void {
    this.#shown.stop();
  }

  /** Reads the first page. */
  restart(): Promise<void> {
    return this.#read([]);
  }

  async next(): Promise<void> {
    const cursor = this.#next.peek();
    if (cursor !== undefined) await this.#read([...this.#shownCursors(), cursor]);
  }

  previous(): Promise<void> {
    return this.#read(this.#shownCursors().slice(0, -1));
  }

  #shownCursors(): readonly string[] {
    return this.#shown.data.peek()?.cursors ?? [];
  }

  #read(cursors: readonly string[]): Promise<void> {
    this.#cursors = cursors;
    return this.#shown.load();
  }
}
