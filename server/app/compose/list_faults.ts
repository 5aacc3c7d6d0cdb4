/** Why an entry of a saved list, or a default, means nothing that is here now: the operator is told when it is saved. */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { Catalog } from "../../providers/catalog/catalog.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { knownProviderIds } from "../../providers/mod.ts";
import { listMembers } from "../../providers/model_aliases.ts";
import { endpointProfile } from "../../pipeline/routing/selection/endpoint_profile.ts";
import { compilePatterns, matchesAny } from "../../pipeline/routing/selection/glob.ts";
import { compileModelPatterns, listsVersion } from "../../pipeline/routing/selection/model_patterns.ts";
import { findEndpoints, namedRouters, stripVariants } from "../../pipeline/routing/selection/model_names.ts";
import type { CompositionParts } from "../composition_parts.ts";

/** Finds the end of a sentence that begins with the entry; undefined for an entry that means something. */
type EntryFaultFinder = (entry: string) => string | undefined;

interface ListFaults {
  readonly ofModel: EntryFaultFinder;
  readonly ofProvider: EntryFaultFinder;
  /** A default is asked, not listed: an alias and a name without an author are good ones. */
  readonly ofDefaultModel: EntryFaultFinder;
}

/** Some providers take models that nobody has listed, such as a server of the operator's own. */
function isUnlisted({ endpoints }: Catalog, found: readonly Endpoint[]): boolean {
  return found.some(({ provider, isAssumed }) =>
    isAssumed === true && endpoints.every((one) => one.provider.id !== provider.id)
  );
}

export function createListFaults(
  { catalog, config }: Pick<CompositionParts, "catalog" | "config">,
): ListFaults {
  const hintOf = (entry: string) => {
    const hint = entry.includes("*") ? undefined : catalog.hintFor(entry);
    return hint === undefined ? "" : ` ${hint}`;
  };
  const ids = knownProviderIds(config);
  const names = { resolve: catalog.resolveModel, aliases: config.aliases, listings: catalog.models };
  return {
    ofModel: (entry) => {
      const list = compileModelPatterns([entry]);
      const matches = catalog.endpoints.some((endpoint) => listsVersion(list, endpoint));
      if (matches || isUnlisted(catalog, catalog.resolveModel(entry))) return undefined;
      return `matches no model that is here now.${hintOf(entry)}`;
    },
    ofProvider: (entry) => {
      const list = compilePatterns([entry.toLowerCase()]);
      const matches =
        catalog.endpoints.some((endpoint) => matchesAny(list, endpointProfile(endpoint).names)) ||
        [...catalog.providers.map(({ id }) => id), ...ids].some((id) => matchesAny(list, [id]));
      return matches ? undefined : "matches no provider.";
    },
    ofDefaultModel: (entry) => {
      if (namedRouters(names, { model: entry, models: [] }).length > 0) return undefined;
      const found = findEndpoints(names, entry);
      if (found.some(({ isAssumed }) => isAssumed !== true) || isUnlisted(catalog, found)) return undefined;
      const name = stripVariants(entry);
      const members = ownValue(config.aliases, entry) ?? ownValue(config.aliases, name);
      return members === undefined
        ? `is no model that is here now.${hintOf(name)}`
        : `stands for ${listMembers(members)}: no such model is here now.`;
    },
  };
}
