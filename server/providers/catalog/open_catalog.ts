/** The catalog of a start, and what an operator is told of its prices. */

import type { Config } from "../../config/config.ts";
import { offServices, type ProviderRegistry } from "../mod.ts";
import type { Runtime } from "../../runtime.ts";
import { buildCatalog, type Catalog } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";
import { ageWarning, describeAge, priceAges } from "./price_age.ts";
import { describeMove, movesBetween } from "./price_moves.ts";
import { loadSnapshot } from "./snapshot.ts";

interface CatalogDeps {
  readonly config: Config;
  readonly providers: ProviderRegistry;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** Logs how old its prices are. Throws a CatalogFileError. */
export async function openCatalog({ config, providers, runtime }: CatalogDeps): Promise<Catalog> {
  const snapshot = await snapshotFor(config, providers.providers);
  const catalog = buildCatalog({ config, providers, snapshot, off: offServices(config) });
  const ages = priceAges(catalog.endpoints, runtime.clock.now());
  if (ages.length > 0) runtime.log.info(`Prices are from ${ages.map(describeAge).join(", ")}`);
  const warning = ageWarning(ages);
  if (warning !== undefined) runtime.log.warn(warning);
  return catalog;
}

interface NamedModels extends Pick<Catalog, "resolve" | "resolveModel" | "hintFor"> {
  /** The name of a model without the variants behind it. */
  readonly stripVariants: (name: string) => string;
}

/** A sentence for each name of the configuration file whose model is not here. Variants may stand behind a model. */
export function nameWarnings(
  { aliases, defaultModel, auto, scores }: Pick<Config, "aliases" | "defaultModel" | "auto" | "scores">,
  { resolve, resolveModel, hintFor, stripVariants }: NamedModels,
): readonly string[] {
  const aliased = Object.entries(aliases).flatMap(([name, models]) =>
    models.map((model, at) =>
      [models.length === 1 ? `aliases.${name}` : `aliases.${name}[${at}]`, model] as const
    )
  );
  const others = [
    ...(defaultModel === undefined ? [] : [["default_model", defaultModel] as const]),
    ...auto.defaultModels.map((model, at) => [`auto.default_models[${at}]`, model] as const),
    ...(auto.classifier === "local" ? [] : [["auto.classifier", auto.classifier] as const]),
    ...[...scores.keys()].map((model) => ["A model of scores", model] as const),
  ];
  const sentences = (
    named: readonly (readonly [place: string, model: string])[],
    find: NamedModels["resolve"],
  ) =>
    named.flatMap(([place, model]) => {
      const base = stripVariants(model);
      if (find(model).length > 0 || find(base).length > 0) return [];
      const hint = Object.hasOwn(aliases, base) ? "It is an alias: name what it stands for." : hintFor(base);
      return [
        `${place} is ${model}, which is no model that is here now.${hint === undefined ? "" : ` ${hint}`}`,
      ];
    });
  // An alias stands for models by their own names, whatever other aliases there are.
  return [...sentences(aliased, resolveModel), ...sentences(others, resolve)];
}

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
