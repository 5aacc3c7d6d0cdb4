/**
 * The catalog: the endpoints that the providers offer, with what the snapshot knows of them and the operator's
 * corrections. It stands in the providers' place: everything that asks for endpoints asks here.
 */

import { runNow, type Work } from "../../../shared/util/run_work.ts";
import type { Config } from "../../config/config.ts";
import type { Endpoint, Model, Provider } from "../endpoint.ts";
import { builtInModelIds, type OffService, type ProviderRegistry } from "../mod.ts";
import { hintForAlias, resolveAlias } from "../model_aliases.ts";
import { plainSpelling, withoutVersion } from "../model_spelling.ts";
import {
  allStated,
  applyCorrection,
  fillFacts,
  nothingStated,
  type StatedFields,
  statedFieldsOf,
} from "./endpoint_facts.ts";
import { dataPolicyOf, isBuiltInProvider } from "./provider_facts.ts";
import { type BareNames, hintForUnknown, indexBareNames } from "./bare_names.ts";
import { indexModels, unifySpellings } from "./one_model.ts";
import type { KnownOffer, Snapshot } from "./snapshot.ts";

/** A model and everybody who serves it. */
export interface ModelListing {
  readonly model: Model;
  /** In the order of the providers; at least one. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
}

export interface Catalog extends Omit<ProviderRegistry, "resolve"> {
  /** Endpoints of a model in any spelling, or of an alias's first model that has some; empty for an unknown one. */
  resolve(name: string): readonly Endpoint[];
  /** Endpoints of a model in any spelling, also where an alias has its name; empty for an unknown one. */
  resolveModel(name: string): readonly Endpoint[];
  /** Every model that is not hidden. */
  readonly models: readonly ModelListing[];
  /** By id in any spelling, alias or name without its author, hidden ones too; undefined for an unknown one. */
  model(id: string): ModelListing | undefined;
  /**
   * A sentence for a caller whose model has no endpoint, or who names an alias where a model's own name is due;
   * undefined where there is nothing to say.
   */
  hintFor(name: string): string | undefined;
}

export type CatalogConfig = Pick<Config, "providers" | "models" | "aliases" | "catalogFile">;

interface CatalogInput {
  readonly config: CatalogConfig;
  readonly providers: ProviderRegistry;
  readonly snapshot: Snapshot;
  /** Built-in services that are not switched on. */
  readonly off?: readonly OffService[];
}

/** Providers that name deployments as their operator likes: what they could offer says nothing of what they do. */
const ownNames: ReadonlySet<string> = new Set(["azure"]);

/** Builds it at once. */
export const buildCatalog = (input: CatalogInput): Catalog => runNow(catalogWork(input));

/** Offers pauses between the providers, and between the indexes of their models. */
export function* catalogWork({ config, providers, snapshot, off = [] }: CatalogInput): Work<Catalog> {
  const fill = factsFiller(config, snapshot);
  const rows = Map.groupBy(providers.endpoints, ({ provider }) => provider.id);
  const offered: Endpoint[] = [];
  for (const provider of providers.providers) {
    const own = rows.get(provider.id) ?? [];
    offered.push(...own.map(fill), ...offersOfProvider({ config, provider, own, snapshot }).map(fill));
    yield;
  }
  const endpoints = unifySpellings(offered, preferredIds(config));
  yield;
  const byModel = Map.groupBy(endpoints, ({ model }) => model.id);
  const names = indexBareNames(endpoints);
  yield;
  const known = indexModels(endpoints);
  yield;
  const endpointsOf = (id: string): readonly Endpoint[] =>
    byModel.get(id) ?? known.bySpelling(spelling(snapshot, id)) ??
      byModel.get(bareId(names, id) ?? "") ??
      providers.resolve(id).map((endpoint) => known.atProvider(endpoint) ?? fill(endpoint));
  const resolve = (requested: string) => resolveAlias(requested, { aliases: config.aliases, endpointsOf });
  return {
    providers: providers.providers.map(withPolicy),
    endpoints,
    resolve,
    resolveModel: endpointsOf,
    models: [...byModel.values()].flatMap((all) => listing(all.filter(({ model }) => !model.hidden)) ?? []),
    model: (id) => listing(resolve(id)),
    hintFor: (name) => hintForAlias(name, config.aliases) ?? hintForUnknown(name, { names, off }),
  };
}

/** The spellings of ids that win: the operator's, then those of this version, whatever is switched on. */
const preferredIds = ({ providers }: CatalogConfig): readonly string[] => [
  ...providers.flatMap(({ models }) => models.map(({ id }) => id)),
  ...builtInModelIds,
];

/** The id that another name of the snapshot stands for. */
const spelling = ({ aliases }: Snapshot, id: string): string =>
  Object.hasOwn(aliases, id) ? aliases[id] ?? id : id;

/** The id that a name without its author stands for. */
const bareId = (names: BareNames, name: string): string | undefined =>
  name.includes("/") ? undefined : names.idOf(name);

function listing(endpoints: readonly Endpoint[]): ModelListing | undefined {
  const [first, ...others] = endpoints;
  return first && { model: first.model, endpoints: [first, ...others] };
}

function withPolicy(provider: Provider): Provider {
  return { ...provider, dataPolicy: provider.dataPolicy ?? dataPolicyOf(provider) };
}

/** Fills and corrects one endpoint. */
function factsFiller(
  { providers, models }: CatalogConfig,
  snapshot: Snapshot,
): (endpoint: Endpoint) => Endpoint {
  const rows = new Map(
    providers.flatMap(({ id, models }) => models.map((row) => [`${id}|${row.id}`, row] as const)),
  );
  const regions = new Map(providers.map(({ id, region }) => [id, region]));
  return (endpoint) => {
    const { provider, model, upstreamModel } = endpoint;
    if (isBuiltInProvider(provider.id)) {
      return corrected({ ...endpoint, provider: withPolicy(provider) }, models);
    }
    const row = rows.get(`${provider.id}|${model.id}`);
    const offers = snapshot.offersOf(provider.id);
    // A dated deployment costs what the model costs, where the date itself is not known.
    const known = offers.get(upstreamModel) ??
      (endpoint.isAssumed === true ? offers.get(withoutVersion(upstreamModel)) : undefined);
    const general = row ? snapshot.modelOf(model.id) : undefined;
    const full = fillFacts(endpoint, { known, general, stated: statedFacts(endpoint, row), snapshot });
    const placed = {
      ...full,
      provider: withPolicy(provider),
      quantization: row?.quantization ?? full.quantization,
      region: regions.get(provider.id) ?? full.region,
      model: { ...full.model, distillable: row?.distillable ?? full.model.distillable },
    };
    return corrected(placed, models);
  };
}

function corrected(endpoint: Endpoint, models: CatalogConfig["models"]): Endpoint {
  return models.filter((one) => concerns(one, endpoint)).reduce(applyCorrection, endpoint);
}

/** Rows of this version state everything; an open provider's endpoint states nothing. */
function statedFacts(
  { isAssumed }: Endpoint,
  row: Parameters<typeof statedFieldsOf>[0] | undefined,
): StatedFields {
  if (row) return statedFieldsOf(row);
  return isAssumed === true ? nothingStated : allStated;
}

const concerns = (
  row: CatalogConfig["models"][number],
  { model, provider }: Endpoint,
): boolean =>
  plainSpelling(row.id) === plainSpelling(model.id) &&
  (row.provider === undefined || row.provider === provider.id);

interface ProviderOffer {
  readonly config: CatalogConfig;
  readonly provider: Provider;
  /** Endpoints that its rows offer already. */
  readonly own: readonly Endpoint[];
  readonly snapshot: Snapshot;
}

/**
 * Lists the offers of the snapshot besides the rows of a built-in provider. A provider of the file offers what it
 * lists.
 */
function offersOfProvider({ config, provider, own, snapshot }: ProviderOffer): readonly Endpoint[] {
  if (
    isBuiltInProvider(provider.id) || ownNames.has(provider.id) ||
    config.providers.some(({ id }) => id === provider.id)
  ) return [];
  const listed = new Set(own.map(({ upstreamModel }) => upstreamModel));
  const ids = new Set(own.map(({ model }) => model.id));
  return [...snapshot.offersOf(provider.id)]
    .filter(([upstream, { model }]) => !listed.has(upstream) && !ids.has(model))
    .map(([upstream, known]) => endpointOf(provider, { upstream, known }));
}

function endpointOf(provider: Provider, { upstream, known }: Named): Endpoint {
  return {
    id: `${provider.id}|${known.model}|${upstream}`,
    model: {
      id: known.model,
      name: known.name,
      created: known.created,
      contextLength: known.context,
      inputModalities: known.inputs,
      outputModalities: known.outputs,
      supportedParameters: known.parameters,
      tokenizer: known.tokenizer,
      hidden: false,
    },
    provider,
    upstreamModel: upstream,
    maxOutputTokens: known.output,
    pricing: known.pricing,
    pricedBy: known.pricedBy ?? undefined,
  };
}

interface Named {
  /** The provider's own name of the model. */
  readonly upstream: string;
  readonly known: KnownOffer;
}
