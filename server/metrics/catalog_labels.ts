/** Values of labels that the catalog bounds: its models and providers, the first so many that are in use. */

import { OTHER } from "./series_row.ts";

/** Models, and providers, that get a value of their own; the rest is `other`. */
export const MOST_VALUES = 500;

interface LabelSource {
  readonly endpoints: readonly {
    readonly model: { readonly id: string };
    readonly provider: { readonly id: string; readonly name: string };
  }[];
}

interface CatalogNames {
  readonly models: ReadonlySet<string>;
  /** Ids of providers by ids and by names. */
  readonly providers: ReadonlyMap<string, string>;
}

export class CatalogLabels {
  readonly #catalog: () => LabelSource;
  /** Names of the catalogs that have been asked: a reload brings another one. */
  readonly #names = new WeakMap<LabelSource, CatalogNames>();
  readonly #models = new Set<string>();
  readonly #providers = new Set<string>();

  constructor(catalog: () => LabelSource) {
    this.#catalog = catalog;
  }

  model(id: string | null): string {
    return bounded(this.#models, id !== null && this.#known.models.has(id) ? id : OTHER);
  }

  /** `provider`: its id, or the name by which receipts have it. Gives the id. */
  provider(provider: string | null): string {
    return bounded(this.#providers, this.#known.providers.get(provider ?? "") ?? OTHER);
  }

  get #known(): CatalogNames {
    const catalog = this.#catalog();
    const known = this.#names.get(catalog) ?? namesOf(catalog);
    this.#names.set(catalog, known);
    return known;
  }
}

function namesOf({ endpoints }: LabelSource): CatalogNames {
  const providers = endpoints.flatMap(({ provider: { id, name } }) => [[name, id], [id, id]] as const);
  return { models: new Set(endpoints.map(({ model }) => model.id)), providers: new Map(providers) };
}

/** Every value is remembered: what a counter has once it has for good. */
function bounded(used: Set<string>, value: string): string {
  if (used.has(value)) return value;
  if (used.size >= MOST_VALUES) return OTHER;
  used.add(value);
  return value;
}
