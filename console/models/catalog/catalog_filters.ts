/** Filters and orders of the catalog of models, which stand in the address. */

import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import { modelSums, tokenPrice } from "./model_figures.ts";

const inputChoices = ["text", "image", "file", "audio", "video"] as const;
const outputChoices = [
  ...["text", "image", "audio", "speech", "transcription"],
  ...["embeddings", "rerank", "decisions", "video"],
] as const;
/** Tokens, at least. */
const contextChoices = ["32000", "128000", "200000", "1000000"] as const;
/** Parameters that a model takes. */
const capabilityChoices = ["tools", "structured_outputs", "reasoning", "logprobs", "seed"] as const;
/** Numbers: USD a million input tokens, at most. */
const priceChoices = ["priced", "unpriced", "free", "1", "5", "20"] as const;

export const catalogSorts = ["requests", "name", "context", "input", "output"] as const;
export type CatalogSort = (typeof catalogSorts)[number];

interface CatalogFilters {
  /** Words of the id, the name or a provider; each has to be found. */
  readonly q: string;
  /** Each is undefined for models of any kind. */
  readonly writes: string | undefined;
  readonly takes: string | undefined;
  readonly context: string | undefined;
  readonly can: string | undefined;
  readonly price: string | undefined;
}

/** Filters besides the search, by their names in the address. */
export const catalogChips = {
  writes: outputChoices,
  takes: inputChoices,
  context: contextChoices,
  can: capabilityChoices,
  price: priceChoices,
} as const;
export type CatalogChip = keyof typeof catalogChips;

/** The filters of an address; what is no choice filters nothing. */
export function catalogFiltersOf(query: ReadonlyMap<string, string>): CatalogFilters {
  const chosen = (name: CatalogChip): string | undefined => {
    const choices: readonly string[] = catalogChips[name];
    return choices.find((choice) => choice === query.get(name));
  };
  return {
    q: query.get("q") ?? "",
    writes: chosen("writes"),
    takes: chosen("takes"),
    context: chosen("context"),
    can: chosen("can"),
    price: chosen("price"),
  };
}

function hasWords({ id, name, endpoints }: ManagedModel, q: string): boolean {
  const providers = endpoints.map(({ provider, provider_name }) => `${provider}\n${provider_name}`);
  const text = [id, name, ...providers].join("\n").toLowerCase();
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function hasPrice(model: ManagedModel, price: string): boolean {
  if (price === "unpriced") return model.unpriced;
  const input = tokenPrice(model, "prompt");
  if (model.unpriced || input === undefined) return false;
  if (price === "priced") return true;
  return price === "free" ? input === 0 && tokenPrice(model, "completion") === 0 : input <= Number(price);
}

export function isFound(model: ManagedModel, filters: CatalogFilters): boolean {
  const { q, writes, takes, context, can, price } = filters;
  return hasWords(model, q) &&
    (writes === undefined || model.output_modalities.includes(writes)) &&
    (takes === undefined || model.input_modalities.includes(takes)) &&
    (context === undefined || (model.context_length ?? 0) >= Number(context)) &&
    (can === undefined || model.supported_parameters.includes(can)) &&
    (price === undefined || hasPrice(model, price));
}

/** The number that an order looks at; what has none comes last. */
function rankOf(model: ManagedModel, sort: CatalogSort): number {
  switch (sort) {
    case "name":
      return 0;
    case "requests":
      return -modelSums(model).requests;
    case "context":
      return -(model.context_length ?? 0);
    case "input":
      return model.unpriced ? Infinity : tokenPrice(model, "prompt") ?? Infinity;
    case "output":
      return model.unpriced ? Infinity : tokenPrice(model, "completion") ?? Infinity;
    default:
      return sort satisfies never;
  }
}

/** Busiest, largest or cheapest first; what is equal by id. */
export function sortModels(models: readonly ManagedModel[], sort: CatalogSort): readonly ManagedModel[] {
  const ranked = models.map((model) => ({ model, rank: rankOf(model, sort) }));
  ranked.sort((one, other) =>
    (one.rank === other.rank ? 0 : one.rank - other.rank) || (one.model.id < other.model.id ? -1 : 1)
  );
  return ranked.map(({ model }) => model);
}
