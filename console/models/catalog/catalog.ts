/** The catalog of models as the keys of a workspace may use them, narrowed and ordered by what stands in the address. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import type { Router } from "../../router.ts";
import {
  type CatalogChip,
  catalogChips,
  catalogFiltersOf,
  type CatalogSort,
  catalogSorts,
  isFound,
  sortModels,
} from "./catalog_filters.ts";

const listModels = operation<"models.list">("GET", "/models");

const MODELS_A_CALL = 1_000;
const MODELS_A_PAGE = 20;
/** More do not fit beside each other. */
export const MOST_COMPARED = 4;

interface CatalogDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace whose keys the models are for; undefined until it is known. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class CatalogModel {
  readonly #deps: CatalogDeps;
  readonly list = createResource((signal) => this.#read(signal));
  readonly filters = computed(() => catalogFiltersOf(this.#deps.router.query.value));
  readonly sort = computed((): CatalogSort =>
    catalogSorts.find((sort) => sort === this.#query("sort")) ?? "requests"
  );
  /** Id of the model whose panel is open. */
  readonly open = computed(() => this.#query("model"));

  constructor(deps: CatalogDeps) {
    this.#deps = deps;
  }

  #query(name: string): string | undefined {
    return this.#deps.router.query.value.get(name);
  }

  /** Every model of the filters, in their order; undefined until they were read. */
  readonly found = computed(() => {
    const [models, filters] = [this.list.data.value, this.filters.value];
    if (models === undefined) return undefined;
    return sortModels(models.filter((model) => isFound(model, filters)), this.sort.value);
  });

  /** Number of the first model of the page, from 0. */
  readonly offset = computed(() => {
    const [page, count] = [Number(this.#query("page") ?? "1"), this.found.value?.length ?? 0];
    const last = Math.max(1, Math.ceil(count / MODELS_A_PAGE));
    const shown = Number.isInteger(page) ? Math.min(Math.max(1, page), last) : 1;
    return (shown - 1) * MODELS_A_PAGE;
  });
  readonly rows = computed(() =>
    this.found.value?.slice(this.offset.value, this.offset.value + MODELS_A_PAGE)
  );
  readonly isWhole = computed(() => Object.values(this.filters.value).every((value) => !value));

  /** The open one; undefined until it was read, null where there is none. */
  readonly opened = computed(() => {
    const models = this.list.data.value;
    if (models === undefined) return undefined;
    return models.find(({ id }) => id === this.open.value) ?? null;
  });

  search(q: string): void {
    this.#deps.router.setQuery({ q, page: undefined });
  }

  filter(name: CatalogChip, value: string | undefined): void {
    this.#deps.router.setQuery({ [name]: value, page: undefined });
  }

  sortBy(sort: CatalogSort): void {
    this.#deps.router.setQuery({ sort, page: undefined });
  }

  removeFilters(): void {
    const names = [...Object.keys(catalogChips), "q", "page"];
    this.#deps.router.setQuery(Object.fromEntries(names.map((name) => [name, undefined])));
  }

  openModel(id: string | undefined): void {
    this.#deps.router.setQuery({ model: id }, { push: true });
  }

  /** Ids of the models that are chosen for a comparison. */
  readonly compared = computed((): ReadonlySet<string> =>
    new Set((this.#query("compare") ?? "").split(" ").filter((id) => id !== "").slice(0, MOST_COMPARED))
  );
  readonly comparedModels = computed(() => {
    const models = this.list.data.value ?? [];
    return [...this.compared.value].flatMap((id) => models.find((model) => model.id === id) ?? []);
  });

  /** Chooses models for a comparison, the first of them; tells whether there was room for all. */
  compare(ids: ReadonlySet<string>): boolean {
    const chosen = [...ids].slice(0, MOST_COMPARED);
    this.#deps.router.setQuery({ compare: chosen.join(" ") });
    return chosen.length === ids.size;
  }

  /** Goes a page on or back; undefined where there is none. */
  pageAt(step: 1 | -1): (() => void) | undefined {
    const page = this.offset.value / MODELS_A_PAGE + 1 + step;
    const count = this.found.value?.length ?? 0;
    if (page < 1 || (page - 1) * MODELS_A_PAGE >= count) return undefined;
    return () => this.#deps.router.setQuery({ page: page === 1 ? undefined : String(page) });
  }

  /** The model before or behind the open one on this page; undefined where there is none. */
  neighbor(step: 1 | -1): string | undefined {
    const ids = (this.rows.value ?? []).map(({ id }) => id);
    const at = ids.indexOf(this.open.value ?? "");
    return at < 0 ? undefined : ids[at + step];
  }

  #read(signal: AbortSignal): Promise<readonly ManagedModel[]> {
    const { api, workspaceId } = this.#deps;
    return readCatalog({ api, workspaceId: workspaceId.value ?? "" }, signal);
  }
}

interface CatalogInput extends Pick<CatalogDeps, "api"> {
  readonly workspaceId: string;
}

/** Every model of a workspace. */
export async function readCatalog(
  { api, workspaceId }: CatalogInput,
  signal: AbortSignal,
): Promise<readonly ManagedModel[]> {
  const found: ManagedModel[] = [];
  for (;;) {
    const query = { workspace_id: workspaceId, offset: found.length, limit: MODELS_A_CALL };
    const { data, total_count } = await api.call(listModels, { query, signal });
    found.push(...data);
    if (data.length === 0 || found.length >= total_count) return found;
  }
}
