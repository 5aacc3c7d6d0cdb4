/** The catalog of services that are not switched on, for workspaces that have keys of their own for some of them. */

import { Memo } from "../../../shared/util/memo.ts";
import type { Endpoint } from "../endpoint.ts";
import type { ProviderRegistry } from "../mod.ts";
import { buildCatalog, type Catalog, type CatalogConfig } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";

interface ByokCatalogInput {
  readonly config: CatalogConfig;
  readonly providers: ProviderRegistry;
}

/** Endpoints of a model at some providers. */
type ResolveModel = (model: string) => readonly Endpoint[];

/**
 * Finds the models of the providers for which `reached` is true; undefined where there is none. The catalog is made
 * when the first of them is reached: most gateways never need it.
 */
export function byokCatalog(
  { config, providers }: ByokCatalogInput,
): (reached: (id: string) => boolean) => Promise<ResolveModel | undefined> {
  const ids = providers.providers.map(({ id }) => id);
  const catalog = new Memo<Catalog>(async () =>
    buildCatalog({ config, providers, snapshot: await snapshotFor(config, providers.providers) })
  );
  return async (reached) => {
    const some = new Set(ids.filter(reached));
    if (some.size === 0) return undefined;
    const { resolve } = await catalog.get();
    return (model) => resolve(model).filter(({ provider: { id } }) => some.has(id));
  };
}
