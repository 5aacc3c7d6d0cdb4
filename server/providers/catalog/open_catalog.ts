/** The catalog of a start, and what an operator is told of its prices. */

import { pause } from "../../../shared/util/pause.ts";
import { runWork } from "../../../shared/util/run_work.ts";
import type { Config } from "../../config/config.ts";
import { offServices, type ProviderRegistry } from "../mod.ts";
import type { Runtime } from "../../runtime.ts";
import { buildCatalog, type Catalog, catalogWork } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";
import { ageWarning, describeAge, priceAges } from "./price_age.ts";
import { describeMove, movesBetween } from "./price_moves.ts";
import { loadSnapshot } from "./snapshot.ts";

interface CatalogDeps {
  readonly config: Config;
  readonly providers: ProviderRegistry;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** Logs how old its prices are, and lets other work run meanwhile. Throws a CatalogFileError. */
export async function openCatalog({ config, providers, runtime }: CatalogDeps): Promise<Catalog> {
  const snapshot = await snapshotFor(config, providers.providers);
  const work = catalogWork({ config, providers, snapshot, off: offServices(config) });
  const catalog = await runWork(work, { clock: runtime.clock, pause });
  const ages = priceAges(catalog.endpoints, runtime.clock.now());
  if (ages.length > 0) runtime.log.info(`Prices are from ${ages.map(describeAge).join(", ")}`);
  const warning = ageWarning(ages);
  if (warning !== undefined) runtime.log.warn(warning);
  return catalog;
}

interface NamedModels extends Pick<Catalog, "resolveModel" | "hintFor"> {
  /** The name of a model without the variants behind it. */
  readonly stripVariants: (name: string) => string;
  /** Whether a name stands for models that are chosen of those that are here: by a router, or as the newest of a family. */
  readonly isChosen: (name: string) => boolean;
}

/** A sentence for each name of the configuration file whose model is not here. Variants may stand behind a model. */
export function nameWarnings(
  { aliases, defaultModel, auto, scores, models: corrections }: NamingConfig,
  { resolveModel, hintFor, stripVariants, isChosen }: NamedModels,
): readonly string[] {
  const isAlias = (name: string) => Object.hasOwn(aliases, name);
  const aliased = Object.entries(aliases).flatMap(([name, models]) =>
    models.map((model, at) =>
      [models.length === 1 ? `aliases.${name}` : `aliases.${name}[${at}]`, model] as const
    )
  );
  const named = [
    ...(defaultModel === undefined ? [] : [["default_model", defaultModel] as const]),
    ...auto.defaultModels.map((model, at) => [`auto.default_models[${at}]`, model] as const),
    ...(auto.classifier === "local" ? [] : [["auto.classifier", auto.classifier] as const]),
  ];
  // What these say is of one model, and an alias would be none. Corrections may wait for a provider that is off.
  const own = [
    ...[...scores.keys()].map((model) => ["A model of scores", model] as const),
    ...corrections.map(({ id }, at) => [`models[${at}].id`, id] as const).filter(([, id]) => isAlias(id)),
  ];
  // An alias stands for models by their own names, whatever other aliases there are; what it names is told of there.
  const places = [
    ...aliased,
    ...named.filter(([, model]) => !isAlias(model) && !isAlias(stripVariants(model))),
  ].filter(([, model]) => !isChosen(model));
  return [...places, ...own].flatMap(([place, model]) => {
    const base = stripVariants(model);
    if (resolveModel(model).length > 0 || resolveModel(base).length > 0) return [];
    const hint = hintFor(base);
    return [
      `${place} is ${model}, which is no model that is here now.${hint === undefined ? "" : ` ${hint}`}`,
    ];
  });
}

type NamingConfig = Pick<Config, "aliases" | "defaultModel" | "auto" | "scores" | "models">;

/** Report of `doctor` on the prices of the providers that are on. */
interface PriceReport {
  readonly ages: string;
  readonly warning?: string;
  /** Prices that moved by more than five times, a line each. */
  readonly moves: readonly string[];
}

/** Throws a CatalogFileError. */
export async function reportPrices({ config, providers, runtime }: CatalogDeps): Promise<PriceReport> {
  const { endpoints } = buildCatalog({
    config,
    providers,
    snapshot: await snapshotFor(config, providers.providers),
  });
  const ages = priceAges(endpoints, runtime.clock.now());
  const ids = [...new Set(providers.providers.map(({ id }) => id))];
  const installed = await loadSnapshot(providers.providers);
  const moves = config.catalogFile === undefined
    ? installed.movesAt(ids)
    : movesBetween(installed, { operators: await snapshotFor(config, providers.providers), providers: ids });
  return {
    ages: ages.length === 0 ? "no price is from the catalog" : ages.map(describeAge).join(", "),
    warning: ageWarning(ages),
    moves: moves.map(describeMove),
  };
}
