/** The catalog of services that are not switched on, for workspaces that have keys of their own for some of them. */

import type { Endpoint } from "../providers/endpoint.ts";
import type { Providers } from "../providers/mod.ts";
import { type Catalog, type CatalogConfig, catalogOf } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";

export interface KeylessParts {
  readonly config: CatalogConfig;
  readonly providers: Providers;
}

/** Endpoints of a model at some providers. */
export type Resolve = (model: string) => readonly Endpoint[];

/**
 * Of the providers for which `reached` is true; undefined where there is none. The catalog is made when the first of
 * them is reached: most gateways never need it.
 */
export function keylessCatalog(
  { config, providers }: KeylessParts,
): (reached: (id: string) => boolean) => Promise<Resolve | undefined> {
  const ids = providers.providers.map(({ id }) => id);
  let making: Promise<Catalog> | undefined;
  const make = async () =>
    catalogOf({ config, providers, snapshot: await snapshotFor(config, providers.providers) });
  return async (reached) => {
    const some = new Set(ids.filter(reached));
    if (some.size === 0) return undefined;
    const { resolve } = await (making ??= make());
    return (model) => resolve(model).filter(({ provider: { id } }) => some.has(id));
  };
}
