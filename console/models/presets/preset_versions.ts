/** The versions of one preset, newest first: some of them, then more; one of them is shown. */

import { computed, signal } from "@preact/signals";
import type { PresetRecord, PresetVersion } from "../../../shared/presets/records.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";

const listVersions = operation<"presets.versions.list">("GET", "/presets/:slug/versions");

/** Versions that are read at a time. */
const PAGE = 20;

interface PresetVersionsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly preset: Pick<PresetRecord, "slug" | "workspace_id">;
}

export class PresetVersions {
  readonly #deps: PresetVersionsDeps;
  /** Versions that are wanted; more of them after each `showOlder`. */
  #wanted = PAGE;
  readonly list = createResource((abort) => this.#read(abort));
  /** Number of the one whose settings are shown; undefined for the newest. */
  readonly chosen = signal<number | undefined>(undefined);

  constructor(deps: PresetVersionsDeps) {
    this.#deps = deps;
  }

  readonly rows = computed(() => this.list.data.value?.rows);
  readonly hasOlder = computed(() => {
    const { rows = [], total = 0 } = this.list.data.value ?? {};
    return rows.length < total;
  });
  readonly newest = computed(() => this.rows.value?.[0]);
  readonly shown = computed(() =>
    this.rows.value?.find(({ version }) => version === this.chosen.value) ?? this.newest.value
  );

  showOlder(): Promise<void> {
    this.#wanted += PAGE;
    return this.list.load();
  }

  /** Lists are oldest first: the last pages are those that are wanted. */
  async #read(signal: AbortSignal) {
    const { api, preset: { slug, workspace_id } } = this.#deps;
    const page = (offset: number, limit: number) =>
      api.call(listVersions, { params: { slug }, query: { workspace_id, offset, limit }, signal });
    const first = await page(0, PAGE);
    const total = first.total_count;
    const rows: PresetVersion[] = [];
    let offset = total;
    while (offset > 0 && rows.length < this.#wanted) {
      const limit = Math.min(PAGE, offset);
      offset -= limit;
      const { data } = total <= PAGE ? first : await page(offset, limit);
      rows.push(...data.toReversed());
    }
    return { rows, total };
  }
}
