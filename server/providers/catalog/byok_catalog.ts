/** The catalog of services that are not switched on, for workspaces that have keys of their own for some of them. */

import { Memo } from "../../../shared/util/memo.ts";
import type { Endpoint } from "../endpoint.ts";
import type { ProviderRegistry } from "../mod.ts";
import { buildCatalog, type Catalog, type CatalogConfig, type ModelListing } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";

interface ByokCatalogInput {
  readonly config: CatalogConfig;
  readonly providers: ProviderRegistry;
  /** Awaited before the first of its models is found. */
  readonly made?: (listings: readonly ModelListing[]) => Promise<void>;
}

/** The models of some providers. */
interface ReachedModels {
  /** Endpoints of a model there. */
  readonly resolve: (model: string) => readonly Endpoint[];
  readonly listings: readonly ModelListing[];
}

/**
 * Finds the models of the providers for which `reached` is true; undefined where there is none. The catalog is made
 * when the first of them is reached: most gateways never need it.
 */
export function byokCatalog(
  { config, providers, made }: ByokCatalogInput,
): (reached: (id: string) => boolean) => Promise<ReachedModels | undefined> {
  const ids = providers.providers.map(({ id }) => id);
  const catalog = new Memo<Catalog>(async () => {
    const snapshot = await snapshotFor(config, providers.providers);
    const found = buildCatalog({ config, providers, snapshot });
    await made?.(found.models);
    return found;
  });
  return async (reached) => {
    const some = new Set(ids.filter(reached));
    if (some.size === 0) return undefined;
    const { resolveModel, models } = await catalog.get();
    const isReached = ({ provider: { id } }: Endpoint) => some.has(id);
    return {
      resolve: (model) => resolveModel(model).filter(isReached),
      listings: models.flatMap(({ model, endpoints }) => {
        const [first, ...others] = endpoints.filter(isReached);
        return first === undefined ? [] : [{ model, endpoints: [first, ...others] as const }];
      }),
    };
  };
}
