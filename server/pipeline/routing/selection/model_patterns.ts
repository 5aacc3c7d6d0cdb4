/** Lists of models that operators write, such as those of guardrails: one model is meant by each of its spellings. */

import type { Endpoint, Provider } from "../../../providers/endpoint.ts";
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

type Listed = Pick<Endpoint, "model" | "upstreamModel"> & { readonly provider: Pick<Provider, "id"> };

/** The model's id, and the provider's own name of it: `groq/<name>` calls it there alone. */
const namesOf = ({ model, provider, upstreamModel }: Listed): readonly string[] => [
  model.id,
  `${provider.id}/${upstreamModel}`,
];

/** Whether the list names the endpoint's model. A version is named by itself, or by a pattern. */
export const listsModel = (list: NamePatterns, endpoint: Listed): boolean =>
  matchesAny(list, namesOf(endpoint).map(plainSpelling));

/** Whether the list names the endpoint's model or the one that it is a version of. */
export const listsVersion = (list: NamePatterns, endpoint: Listed): boolean =>
  matchesAny(list, namesOf(endpoint).flatMap((name) => [plainSpelling(name), versionless(name)]));
