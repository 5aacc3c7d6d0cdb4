/** Pages of a list that goes on behind a cursor: forward to the next, back through those that were seen. */

import { computed } from "@preact/signals";
import { createResource, type Resource } from "../resource.ts";
import type { Router } from "../router.ts";

/** An address that names a page behind this one is taken for a mistake. */
const MOST_PAGES = 100_000;

/** Where the place in a list is kept: in the address, so that it can be shared and survives a reload. */
type PlaceAddress = Pick<Router, "query" | "setQuery">;

interface CursorPagesOptions<T> {
  /** Items on a page. */
  readonly size: number;
  /** Reads the page of `cursor`; undefined means the first one. */
  readonly read: (cursor: string | undefined, abort: AbortSignal) => Promise<T>;
  /** Cursor of the page behind this one; undefined behind the last. */
  readonly nextCursor: (page: T) => string | undefined;
  /** Absent where the place is not kept. */
  readonly address?: PlaceAddress;
}

interface ShownPage<T> {
  /**
   * Cursors of the pages before this one and of this one; the first page has none. Those before a page that the
   * address named are not known.
   */
  readonly cursors: readonly (string | undefined)[];
  readonly page: T;
}

/** A page and its place change together, when the page was read: until then the page before is shown whole. */
export class CursorPages<T> implements Resource<T> {
  readonly #options: CursorPagesOptions<T>;
  /** Cursors of the page that is shown or being read. */
  #cursors: readonly (string | undefined)[] = [];
  /** The filter of the pages; undefined before the first reading. */
  #filter: string | undefined;
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

  /** Reads the page that the address names at first, the same one again later, and the first one of another filter. */
  open(filter: string): Promise<void> {
    const before = this.#filter;
    this.#filter = filter;
    if (before === undefined) return this.#read(this.#namedCursors());
    return before === filter ? this.load() : this.restart();
  }

  #namedCursors(): readonly (string | undefined)[] {
    const query = this.#options.address?.query.peek();
    const [cursor, page] = [query?.get("cursor"), Number(query?.get("page"))];
    if (cursor === undefined || !Number.isInteger(page) || page < 2 || page > MOST_PAGES) return [];
    return [...Array.from({ length: page - 2 }, () => undefined), cursor];
  }

  async next(): Promise<void> {
    const cursor = this.#next.peek();
    if (cursor !== undefined) await this.#read([...this.#shownCursors(), cursor]);
  }

  /** The page before; the first one where that is not known. */
  previous(): Promise<void> {
    const before = this.#shownCursors().slice(0, -1);
    return this.#read(before.length > 0 && before.at(-1) === undefined ? [] : before);
  }

  #shownCursors(): readonly (string | undefined)[] {
    return this.#shown.data.peek()?.cursors ?? [];
  }

  async #read(cursors: readonly (string | undefined)[]): Promise<void> {
    this.#cursors = cursors;
    await this.#shown.load();
    const shown = this.#shownCursors();
    if (shown !== cursors) return;
    const page = cursors.length === 0 ? undefined : String(cursors.length + 1);
    this.#options.address?.setQuery({ cursor: cursors.at(-1), page });
  }
}
