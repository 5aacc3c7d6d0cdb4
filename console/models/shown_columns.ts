/** Which columns of a table are shown: a choice that the browser remembers. */

import { computed, signal } from "@preact/signals";
import { readSetting, writeSetting } from "../settings/browser_setting.ts";

const keyOf = (table: string) => `tollgate-columns-${table}`;

export class ShownColumns {
  readonly #table: string;
  readonly #hidden = signal<ReadonlySet<string>>(new Set());
  readonly hidden = computed(() => this.#hidden.value);

  /** `table` names it in the browser's storage. */
  constructor(table: string) {
    this.#table = table;
    this.#hidden.value = new Set((readSetting(keyOf(table)) ?? "").split(",").filter(Boolean));
  }

  isShown(id: string): boolean {
    return !this.#hidden.value.has(id);
  }

  show(id: string, shown: boolean): void {
    const next = new Set(this.#hidden.value);
    if (shown) next.delete(id);
    else next.add(id);
    this.#hidden.value = next;
    writeSetting(keyOf(this.#table), [...next].join(","));
  }
}
