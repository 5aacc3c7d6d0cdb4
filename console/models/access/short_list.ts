/** A list that is read whole: searched by words, narrowed by the address, its rows opened one at a time. */

import { computed, signal } from "@preact/signals";
import { readAll } from "../../read_all.ts";
import { createResource } from "../../resource.ts";
import type { Router } from "../../router.ts";
import { matchesWords } from "../palette.ts";

interface ShortListOptions<Row> {
  readonly router: Pick<Router, "query" | "setQuery">;
  readonly read: (
    page: { readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<{ readonly data: readonly Row[]; readonly total_count: number }>;
  readonly idOf: (row: Row) => string;
  /** Text that the search looks through. */
  readonly textOf: (row: Row) => string;
  /** Whether the filters of the address leave a row. */
  readonly isShown?: (row: Row) => boolean;
}

export class ShortList<Row> {
  readonly #options: ShortListOptions<Row>;
  readonly idOf: (row: Row) => string;
  readonly list = createResource((signal) => readAll((page) => this.#options.read(page, signal)));

  constructor(options: ShortListOptions<Row>) {
    this.#options = options;
    this.idOf = options.idOf;
  }

  readonly q = computed(() => this.query("q") ?? "");
  /** Rows that the filters and the search leave; undefined until they were read. */
  readonly rows = computed(() => {
    const { textOf, isShown = () => true } = this.#options;
    return this.list.data.value?.filter((row) => isShown(row) && matchesWords(textOf(row), this.q.value));
  });
  /** Id of the row whose panel is open, or `new`. */
  readonly open = computed(() => this.query("open"));
  /** One with something typed in its panel, which stays when somebody else deletes it. */
  readonly kept = signal<Row | undefined>(undefined);
  readonly opened = computed(() => {
    const [open, kept] = [this.open.value, this.kept.value];
    return this.find(open) ?? (kept !== undefined && this.idOf(kept) === open ? kept : undefined);
  });

  query(name: string): string | undefined {
    return this.#options.router.query.value.get(name);
  }

  find(id: string | undefined): Row | undefined {
    return this.list.data.value?.find((row) => this.idOf(row) === id);
  }

  search(q: string): void {
    this.#options.router.setQuery({ q });
  }

  openPanel(id: string | undefined): void {
    this.#options.router.setQuery({ open: id }, { push: true });
  }

  /** Closes the panel, and gives the focus back to its row. */
  closePanel(): void {
    this.openPanel(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  }

  /** Opens the row before or behind the open one; undefined where there is none. */
  neighbor(step: 1 | -1): (() => void) | undefined {
    const ids = (this.rows.value ?? []).map((row) => this.idOf(row));
    const at = ids.indexOf(this.open.value ?? "");
    const id = at < 0 ? undefined : ids[at + step];
    return id === undefined ? undefined : () => this.openPanel(id);
  }

  /** Shows a row as it is now. */
  replace(row: Row): void {
    const { idOf } = this;
    const rows = this.list.data.peek();
    if (rows !== undefined) this.list.set(rows.map((one) => idOf(one) === idOf(row) ? row : one));
  }

  /** Shows a new row, behind the others. */
  add(row: Row): void {
    const rows = this.list.data.peek();
    if (rows !== undefined) this.list.set([...rows, row]);
  }

  /** Takes out a deleted row, and closes its panel. */
  remove(id: string): void {
    const { idOf } = this;
    if (this.open.peek() === id) this.#options.router.setQuery({ open: undefined });
    this.list.set((this.list.data.peek() ?? []).filter((one) => idOf(one) !== id));
  }
}
