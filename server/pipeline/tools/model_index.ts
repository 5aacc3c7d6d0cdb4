/** The catalog's models, found by their words. */

import { type IndexedText, TextIndex } from "./text_index.ts";

/** A model of the catalog, as the tool tells of it. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly contextLength: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** USD for a token, as decimal strings; null where no price is known. */
  readonly price: { readonly prompt: string; readonly completion: string } | null;
}

/** By the list itself, which nobody changes. */
const indexes = new WeakMap<readonly ListedModel[], TextIndex>();

export function searchModels(
  models: readonly ListedModel[],
  { query, most }: { readonly query: string; readonly most: number },
): readonly ListedModel[] {
  const index = indexes.get(models) ?? new TextIndex(models.map(toText));
  indexes.set(models, index);
  const byId = new Map(models.map((model) => [model.id, model]));
  return index.search(query, most).flatMap((id) => byId.get(id) ?? []);
}

const toText = (
  { id, name, description = "", inputModalities, outputModalities }: ListedModel,
): IndexedText => ({
  id,
  name: `${id} ${name}`,
  text: [description, ...inputModalities, ...outputModalities].join(" "),
});
