/** Lists of models that operators write, such as those of guardrails: one model is meant by each of its spellings. */

import type { Model } from "../../../providers/endpoint.ts";
import { plainSpelling, versionless } from "../../../providers/model_spelling.ts";
import { compilePatterns, matchesAny, type NamePatterns } from "./glob.ts";

const compiled = new WeakMap<readonly string[], NamePatterns>();

/** Makes a list ready. It is kept as long as the list is. */
export function compileModelPatterns(patterns: readonly string[]): NamePatterns {
  const known = compiled.get(patterns);
  if (known !== undefined) return known;
  const made = compilePatterns(patterns.map(plainSpelling));
  compiled.set(patterns, made);
  return made;
}

/** Whether the list names the model. A version is named by itself, or by a pattern. */
export const listsModel = (list: NamePatterns, { id }: Pick<Model, "id">): boolean =>
  matchesAny(list, [plainSpelling(id)]);

/** Whether the list names the model or the one that it is a version of. */
export const listsVersion = (list: NamePatterns, { id }: Pick<Model, "id">): boolean =>
  matchesAny(list, [plainSpelling(id), versionless(id)]);
