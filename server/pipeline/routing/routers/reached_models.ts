/** The models that a caller reaches: those of the gateway, and those of providers that only its own keys reach. */

import type { ModelListing } from "../../../providers/catalog/catalog.ts";
import type { CallerRules } from "../../caller_rules.ts";

interface Joined {
  readonly own: readonly ModelListing[];
  readonly all: readonly ModelListing[];
}

/** By the list of the caller. */
const known = new WeakMap<readonly ModelListing[], Joined>();

/** The same list as long as both are. */
export function reachedModels(
  own: readonly ModelListing[],
  rules: CallerRules | undefined,
): readonly ModelListing[] {
  const more = rules?.byokModels?.listings;
  if (more === undefined || more.length === 0) return own;
  const found = known.get(more);
  if (found?.own === own) return found.all;
  const all = join(own, more);
  known.set(more, { own, all });
  return all;
}

/** A model that both have is listed once, with the endpoints of both. */
function join(own: readonly ModelListing[], more: readonly ModelListing[]): readonly ModelListing[] {
  const further = new Map(more.map((listing) => [listing.model.id, listing]));
  const joined = own.map((listing): ModelListing => {
    const other = further.get(listing.model.id);
    if (other === undefined) return listing;
    further.delete(listing.model.id);
    const [first, ...others] = listing.endpoints;
    return { model: listing.model, endpoints: [first, ...others, ...other.endpoints] };
  });
  return [...joined, ...further.values()];
}
