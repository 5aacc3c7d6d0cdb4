/** One reading of the settings → the providers and the catalog that it makes, or why it cannot be in force. */

import { pause } from "../../../shared/util/pause.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/config.ts";
import type { LocalProvider } from "../../local_provider/local_provider.ts";
import { namedRouter } from "../../pipeline/routing/routers/router_slugs.ts";
import { familyNamed, latestModel } from "../../pipeline/routing/selection/latest_models.ts";
import { resolveRequestedModels, stripVariants } from "../../pipeline/routing/selection/model_names.ts";
import type { Catalog } from "../../providers/catalog/catalog.ts";
import { nameWarnings, openCatalog } from "../../providers/catalog/open_catalog.ts";
import { createProviders } from "../../providers/mod.ts";
import type { Runtime } from "../../runtime.ts";
import { assertOtherAddresses } from "../own_address.ts";
import { attemptWarnings } from "./alias_warnings.ts";
import { alertWarnings } from "./alert_warnings.ts";
import type { Settings } from "./in_force.ts";

interface OpenOptions {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly local: LocalProvider | undefined;
}

export interface OpenedSettings extends Settings {
  /** Sentences for the operator about what the settings name and is not there. */
  readonly warnings: readonly string[];
}

/** Throws a ConfigError or a CatalogFileError, with the one sentence for the operator. */
export async function openSettings({ config, runtime, local }: OpenOptions): Promise<OpenedSettings> {
  const providers = createProviders(config, local);
  assertOtherAddresses(config, providers.providers);
  // At a reload streams are open: what comes behind each pause is a share of the work.
  await pause();
  const catalog = await openCatalog({ config, providers, runtime });
  assertDefaultModel(config, catalog);
  await pause();
  return {
    config,
    catalog,
    warnings: [
      ...nameWarnings(config, { ...catalog, stripVariants, isChosen: (name) => isChosen(catalog, name) }),
      ...attemptWarnings(config),
      ...alertWarnings(config),
    ],
  };
}

/** Whether a router, or the newest model of a family, stands behind a name. */
function isChosen({ models }: Catalog, name: string): boolean {
  const base = stripVariants(name);
  const family = familyNamed(base);
  return namedRouter(base) !== undefined ||
    (family !== undefined && latestModel(models, family) !== undefined);
}

function assertDefaultModel({ defaultModel, aliases }: Config, catalog: Catalog): void {
  if (defaultModel === undefined) return;
  const { models: listings } = catalog;
  const { models } = resolveRequestedModels({ resolve: catalog.resolveModel, listings, aliases }, {
    model: defaultModel,
    models: [],
  });
  if (models.some(({ endpoints, router }) => endpoints.length > 0 || router !== undefined)) return;
  throw new ConfigError(`default_model is "${defaultModel}", which no provider that is switched on serves`);
}
