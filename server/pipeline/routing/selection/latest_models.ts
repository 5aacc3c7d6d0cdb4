/** Names that stand for the newest model of a family: `~anthropic/claude-opus-latest`. */

import { compareVersions, type DatedModel, familyPlace } from "../scores/model_family.ts";

const MARK = "~";
const LATEST = "-latest";

/** Longer names are no family's. */
const MOST_CHARS = 200;

/** The family of such a name, `anthropic/claude-opus`; undefined for every other name. */
export function familyNamed(name: string): string | undefined {
  const isNamed = name.length <= MOST_CHARS && name.startsWith(MARK) && name.endsWith(LATEST) &&
    name.includes("/");
  return isNamed ? name.slice(MARK.length, -LATEST.length).toLowerCase() : undefined;
}

/** The newest model of each family, by the family's name. */
type LatestModels = ReadonlyMap<string, DatedModel>;

/** Models whose ids tell no version are of no family. */
export function indexLatestModels(models: Iterable<DatedModel>): LatestModels {
  const latest = new Map<string, DatedModel>();
  for (const model of models) {
    for (const family of familiesOf(model.id)) {
      const known = latest.get(family);
      if (known === undefined || compareAge(model, known) > 0) latest.set(family, model);
    }
  }
  return latest;
}

/** Models as the catalog lists them, which are the same list as long as the catalog is. */
type Listings = readonly { readonly model: DatedModel }[];

const indexes = new WeakMap<Listings, LatestModels>();

function latestOf(listings: Listings): LatestModels {
  const known = indexes.get(listings);
  if (known !== undefined) return known;
  const latest = indexLatestModels(listings.map(({ model }) => model));
  indexes.set(listings, latest);
  return latest;
}

/** The id of the newest listed model of a family; undefined where there is none. */
export const latestModel = (listings: Listings, family: string): string | undefined =>
  latestOf(listings).get(family)?.id;

const MOST_FAMILIES = 10;

/** A sentence on a name of an empty family; undefined for every other name. */
export function hintForFamily(listings: Listings, name: string): string | undefined {
  const family = familyNamed(name);
  if (family === undefined) return undefined;
  const author = family.slice(0, family.indexOf("/") + 1);
  const known = [...latestOf(listings).keys()].filter((one) => one.startsWith(author)).toSorted();
  if (known.length === 0) return `No listed model of ${author.slice(0, -1)} has a version in its name.`;
  const names = known.slice(0, MOST_FAMILIES).map((one) => `${MARK}${one}${LATEST}`).join(", ");
  const more = known.length > MOST_FAMILIES ? `, and ${known.length - MOST_FAMILIES} more` : "";
  return `Of such names there are ${names}${more}.`;
}

/** `moonshotai/kimi-k3` is of the families `moonshotai/kimi-k` and `moonshotai/kimi`. */
function familiesOf(id: string): readonly string[] {
  const place = familyPlace(id);
  if (place === undefined) return [];
  const slash = place.family.lastIndexOf("/") + 1;
  const author = place.family.slice(0, slash);
  const words = place.family.slice(slash).split("-").filter((word) => word !== "#");
  const general = words.filter((word, at) => at === 0 || word.length > 1);
  return [...new Set([words, general].map((list) => author + list.join("-")))];
}

/** Above 0: the first is newer. By the day of release, then by version; a preview is older than what it announces. */
function compareAge(one: DatedModel, other: DatedModel): number {
  const [a, b] = [familyPlace(one.id), familyPlace(other.id)];
  if (a === undefined || b === undefined) return 0;
  const versions = orderOfVersions(a.version, b.version);
  if (versions === 0 && a.isPreview !== b.isPreview) return a.isPreview ? -1 : 1;
  const created = one.created > 0 && other.created > 0 ? one.created - other.created : 0;
  return created || versions || a.day.localeCompare(b.day) || (one.id < other.id ? 1 : -1);
}

/** Where nobody can say, as for 4.20 and 4.3, the minor version is read as a decimal: 4.20 is 4.2. */
function orderOfVersions(one: readonly string[], other: readonly string[]): number {
  const order = compareVersions(one, other);
  if (!Number.isNaN(order)) return order;
  const decimal = ([major = "0", minor = "0"]: readonly string[]) => Number(`${major}.${minor}`);
  return decimal(one) - decimal(other);
}
