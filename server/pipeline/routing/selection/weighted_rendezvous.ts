/**
 * The choice among endpoints that are equally good: weighted rendezvous hashing. An endpoint's share of all keys
 * is its weight's share of all weights; a key's order over endpoints depends on nothing but the key and their
 * names and weights, so every instance comes to the same one, and an endpoint that is missing moves only its own
 * keys.
 */

import { type Hash, hashToUnitInterval } from "./hash.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { type EndpointProfile, endpointProfile } from "./endpoint_profile.ts";

/** USD per million tokens below which cheaper makes no difference: what is free must not take everything. */
const CHEAPEST = 0.01;

const weightOfPrice = (blended: number) => Math.max(blended, CHEAPEST) ** -2;

/**
 * Inverse squares of the prices. An endpoint without a known price may be dear, so it weighs as much as the
 * dearest one whose price is known; where none is known all weigh the same.
 */
function weightsOf(profiles: readonly EndpointProfile[]): readonly number[] {
  let least = Infinity;
  for (const { blendedPrice } of profiles) {
    if (blendedPrice !== null) least = Math.min(least, weightOfPrice(blendedPrice));
  }
  const unknown = Number.isFinite(least) ? least : 1;
  return profiles.map(({ blendedPrice: blended }) => blended === null ? unknown : weightOfPrice(blended));
}

/** An endpoint among those that serve the same model. */
interface WeightedEndpoint {
  readonly profile: EndpointProfile;
  readonly weight: number;
}

/** A model's list of endpoints is the same one as long as the catalog is. */
const rosters = new WeakMap<readonly Endpoint[], readonly WeightedEndpoint[]>();

export function weighEndpoints(endpoints: readonly Endpoint[]): readonly WeightedEndpoint[] {
  const known = rosters.get(endpoints);
  if (known !== undefined) return known;
  const profiles = endpoints.map(endpointProfile);
  const weights = weightsOf(profiles);
  const roster = profiles.map((profile, at) => ({ profile, weight: weights[at] ?? 1 }));
  rosters.set(endpoints, roster);
  return roster;
}

/** Lowest first: an exponential draw with the weight as its rate, so that P(first) = weight / Σ weights. */
export const rendezvousScore = (
  key: Hash,
  { hash }: EndpointProfile,
  { weight }: { readonly weight: number },
): number => -Math.log(hashToUnitInterval(key, hash)) / weight;
