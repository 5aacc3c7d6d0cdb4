/** Names that stand for models: each for one, or for several that are tried in order. */

import { ownValue } from "../../shared/util/own_value.ts";
import type { Config } from "../config/config.ts";
import type { Endpoint } from "./endpoint.ts";

/** Models of an alias that a sentence lists. */
const MOST_LISTED = 5;

/** `a/b, a/c and 3 more` */
export function listMembers(models: readonly string[]): string {
  const more = models.length - MOST_LISTED;
  return `${models.slice(0, MOST_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A sentence on a name that stands where only a model's own may, and is an alias; undefined for every other name. */
export function hintForAlias(name: string, aliases: Config["aliases"]): string | undefined {
  const models = ownValue(aliases, name);
  return models && `${JSON.stringify(name)} is an alias: name what it stands for, ${listMembers(models)}.`;
}

interface AliasLookUp extends Pick<Config, "aliases"> {
  /** Endpoints of a model that is meant by its own name. */
  readonly endpointsOf: (model: string) => readonly Endpoint[];
}

/**
 * Finds the endpoints of the model that a name stands for: of several the first that anybody serves. Routing asks for
 * each of them instead.
 */
export function resolveAlias(name: string, { aliases, endpointsOf }: AliasLookUp): readonly Endpoint[] {
  const [first = name, ...others] = ownValue(aliases, name) ?? [];
  let found = endpointsOf(first);
  for (const model of others) {
    if (found.length > 0) break;
    found = endpointsOf(model);
  }
  return found;
}
