/** The catalog's models, found by their words. */

import { type IndexedText, TextIndex } from "./text_index.ts";

/** A model of the catalog, as the tool tells of it. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Family of models by one maker: `Claude`, `GPT`. */
  readonly series: string;
  readonly description?: string;
  readonly contextLength: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** USD for a token, as decimal strings; null where no price is known. */
  readonly price: { readonly prompt: string; readonly completion: string } | null;
}

/** By the list itself, which nobody changes. */
const indexes = new WeakMap<readonly ListedModel[], TextIndex>();

/** Conditions that a model has to meet, each of those that are given. */
interface ModelSearch {
  /** Absent: all models, in the order of the list. */
  readonly query?: string;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly minContextLength: number;
  /** In any case of letters. */
  readonly series?: string;
}

/** All that fit, the best first. */
export function searchModels(
  models: readonly ListedModel[],
  { query, ...conditions }: ModelSearch,
): readonly ListedModel[] {
  return ranked(models, query).filter((model) => meets(model, conditions));
}

function ranked(models: readonly ListedModel[], query: string | undefined): readonly ListedModel[] {
  if (query === undefined) return models;
  const index = indexes.get(models) ?? new TextIndex(models.map(toText));
  indexes.set(models, index);
  const byId = new Map(models.map((model) => [model.id, model]));
  return index.search(query, models.length).flatMap((id) => byId.get(id) ?? []);
}

function meets(model: ListedModel, search: Omit<ModelSearch, "query">): boolean {
  const { inputModalities, outputModalities, minContextLength, series } = search;
  return inputModalities.every((one) => model.inputModalities.includes(one)) &&
    outputModalities.every((one) => model.outputModalities.includes(one)) &&
    (minContextLength === 0 || (model.contextLength ?? 0) >= minContextLength) &&
    (series === undefined || model.series.toLowerCase() === series.toLowerCase());
}

const toText = (
  { id, name, series, description = "", inputModalities, outputModalities }: ListedModel,
): IndexedText => ({
  id,
  name: `${id} ${name}`,
  text: [description, series, ...inputModalities, ...outputModalities].join(" "),
});
