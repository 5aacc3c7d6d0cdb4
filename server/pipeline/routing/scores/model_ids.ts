/** The catalog's ids of models that others name. */

import { plainSpelling, versionless } from "../../../providers/model_spelling.ts";
import { familyPlace } from "./model_family.ts";

interface ModelIds {
  /** The id in the catalog's spelling; as it is for a model that the catalog does not have. */
  exact(name: string): string;
  /** Likewise, and of a dated version or of a name with its words in another order, where that is no other model's. */
  similar(name: string): string;
}

export function indexModelIds(ids: readonly string[]): ModelIds {
  const spelled = new Map(ids.map((id) => [plainSpelling(id), id]));
  // Most callers ask for names as they are spelled, and this takes the longest.
  let placed: ReadonlyMap<string | undefined, readonly string[]> | undefined;
  const samePlace = (name: string): string | undefined => {
    placed ??= Map.groupBy(ids, placeKey);
    const key = placeKey(name);
    const [only, ...more] = key === undefined ? [] : placed.get(key) ?? [];
    return more.length === 0 ? only : undefined;
  };
  return {
    exact: (name) => spelled.get(plainSpelling(name)) ?? name,
    similar: (name) =>
      spelled.get(plainSpelling(name)) ?? spelled.get(versionless(name)) ?? samePlace(versionless(name)) ??
        name,
  };
}

/** Author, words in one order, and version; undefined for ids that tell no version. */
function placeKey(id: string): string | undefined {
  const place = familyPlace(id);
  if (place === undefined || place.day !== "") return undefined;
  const slash = place.family.lastIndexOf("/");
  const words = place.family.slice(slash + 1).split("-").toSorted().join("-");
  return `${place.family.slice(0, slash)}/${words} ${place.version.join(".")} ${place.isPreview}`;
}
