/**
 * The choice among endpoints that are equally good: weighted rendezvous hashing. An endpoint's share of all keys
 * is its weight's share of all weights; a key's order over endpoints depends on nothing but the key and their
 * names and weights, so every instance comes to the same one, and an endpoint that is missing moves only its own
 * keys.
 */

import { chanceOf, type Hash } from "./hash.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { type Profile, profileOf } from "./endpoint_profile.ts";

/** USD per million tokens below which cheaper makes no difference: what is free must not take everything. */
const CHEAPEST = 0.01;

const weightOfPrice = (blended: number) => Math.max(blended, CHEAPEST) ** -2;

/**
 * Inverse squares of the prices. An endpoint without a known price may be dear, so it weighs as much as the
 * dearest one whose price is known; where none is known all weigh the same.
 */
function weightsOf(profiles: readonly Profile[]): readonly number[] {
  let least = Infinity;
  for (const { blended } of profiles) {
    if (blended !== null) least = Math.min(least, weightOfPrice(blended));
  }
  const unknown = Number.isFinite(least) ? least : 1;
  return profiles.map(({ blended }) => blended === null ? unknown : weightOfPrice(blended));
}

/** An endpoint among those that serve the same model. */
export interface Weighted {
  readonly profile: Profile;
  readonly weight: number;
}

/** A model's list of endpoints is the same one as long as the catalog is. */
const rosters = new WeakMap<readonly Endpoint[], readonly Weighted[]>();

export function rosterOf(endpoints: readonly Endpoint[]): readonly Weighted[] {
  const known = rosters.get(endpoints);
  if (known !== undefined) return known;
  const profiles = endpoints.map(profileOf);
  const weights = weightsOf(profiles);
  const roster = profiles.map((profile, at) => ({ profile, weight: weights[at] ?? 1 }));
  rosters.set(endpoints, roster);
  return roster;
}

/** Lowest first: an exponential draw with the weight as its rate, so that P(first) = weight / Σ weights. */
export const drawOf = (key: Hash, { hash }: Profile, { weight }: { readonly weight: number }): number =>
  -Math.log(chanceOf(key, hash)) / weight;
