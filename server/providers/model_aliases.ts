/** Names that stand for models: each for one, or for several that are tried in order. */

import { ownValue } from "../../shared/util/own_value.ts";
import type { Config } from "../config/config.ts";
import type { Endpoint } from "./endpoint.ts";

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
