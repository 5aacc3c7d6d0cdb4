/** Models that somebody probably meant who typed a name that no model has. */

import { closestMatch } from "leven";
import { plainSpelling, versionless, versionOf } from "../model_spelling.ts";

/** Longer names are compared with none. */
const MOST_CHARS = 100;
/** Most characters by which a misspelled name may differ from the one that was meant. */
const MOST_DIFFERENT = 3;
/** Most models that are named. */
const MOST_NAMED = 5;

const slugOf = (id: string): string => id.slice(id.indexOf("/") + 1);

const wordsOf = (name: string): readonly string[] => name.split(/[^a-z0-9]+/).filter((word) => word !== "");

/** Text in the one spelling; a name is compared with whole ids where it has an author, and else with names alone. */
const comparable = (id: string, name: string): string => plainSpelling(name.includes("/") ? id : slugOf(id));

/** The ids that a name may have meant, the likeliest first; none where nothing is like it. */
export function nearIds(name: string, ids: readonly string[]): readonly string[] {
  if (name.length > MOST_CHARS) return [];
  const spelled = versionless(name);
  const known = new Map(ids.map((id) => [comparable(id, name), id]));
  const same = known.get(spelled) ?? known.get(slugOf(spelled));
  if (same !== undefined) return [same];
  const parts = idsWithWords(name, ids);
  return parts.length > 0 ? parts : misspelled(spelled, known);
}

/** Ids that have all words of a name: `opus` is a part of `claude-opus-4.8`. Plain names and higher versions go first. */
function idsWithWords(name: string, ids: readonly string[]): readonly string[] {
  if (name.length > MOST_CHARS) return [];
  const words = wordsOf(versionless(name));
  // Numbers alone say nothing, and neither does a letter.
  if (!words.some((word) => /^[a-z]{3,}/.test(word))) return [];
  return ids
    .filter((id) => {
      const own = new Set(wordsOf(comparable(id, name)));
      return words.every((word) => own.has(word));
    })
    .sort((one, other) =>
      furtherWords(one) - furtherWords(other) || other.localeCompare(one, "en", { numeric: true })
    )
    .slice(0, MOST_NAMED);
}

/** First word of a model's name, which mostly says who has made it: `mistral`. */
export const familyOf = (name: string): string | undefined => wordsOf(versionless(slugOf(name)))[0];

/** Count of the words of an id; one of a dated version goes behind all others. */
const furtherWords = (id: string): number =>
  (versionOf(id) === "" ? 0 : MOST_CHARS) +
  wordsOf(plainSpelling(id)).filter((word) => /[a-z]/.test(word)).length;

/** True where a name begins with the family of an id, and has no word that the id lacks: `mistral-large`. */
export const isOfFamily = (name: string, id: string): boolean =>
  familyOf(name) === familyOf(id) &&
  idsWithWords(slugOf(name), [id]).length > 0;

/** A short name is another one after a few changes. */
function misspelled(spelled: string, known: ReadonlyMap<string, string>): readonly string[] {
  const maxDistance = Math.min(MOST_DIFFERENT, Math.round(spelled.length / 3));
  const found = closestMatch(spelled, [...known.keys()], { maxDistance });
  const id = found === undefined ? undefined : known.get(found);
  return id === undefined ? [] : [id];
}
