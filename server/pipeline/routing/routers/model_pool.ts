/** The models of the catalog that may serve a request, as routers choose among them. */

import type { ModelListing } from "../../../providers/catalog/catalog.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { withByokEndpoints } from "../selection/byok_endpoints.ts";
import { endpointProfile } from "../selection/endpoint_profile.ts";
import { RecentMap } from "./identity.ts";
import { type PoolInput, poolKey } from "./pool_key.ts";
import { exclusionOf } from "../selection/select_endpoints.ts";

/** A model that at least one endpoint may serve. */
export interface PoolModel {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** All that serve it, for the filters of the plan. */
  readonly endpoints: readonly Endpoint[];
  /** USD per million tokens of a usual request (three read, one written) at the cheapest that may; Infinity: no price. */
  readonly price: number;
  /** USD per million tokens of the prompt, likewise. */
  readonly promptPrice: number;
}

export interface ModelPool {
  /** In the order of the catalog. */
  readonly models: readonly PoolModel[];
  readonly byId: ReadonlyMap<string, PoolModel>;
}

/** Routers of somebody else's, and models that fail on purpose. */
const never = ["openrouter/", "fault/"] as const;

const pools = new RecentMap<ModelPool>(128);

/** The same object as long as nothing has changed that the filters look at. */
export function modelPool(listings: readonly ModelListing[], pooled: PoolInput): ModelPool {
  const key = poolKey(listings, pooled);
  if (key === undefined) return makePool(listings, pooled);
  return pools.get(key) ?? pools.set(key, makePool(listings, pooled));
}

function makePool(listings: readonly ModelListing[], pooled: PoolInput): ModelPool {
  const isSimulated = pooled.rules?.builtInOnly === true || listings.every(isBuiltIn);
  const models = listings.flatMap((listing) => {
    const isOut = never.some((prefix) => listing.model.id.startsWith(prefix)) ||
      (!isSimulated && isBuiltIn(listing)) || !writes(listing, pooled);
    return isOut ? [] : poolModel(listing, pooled) ?? [];
  });
  return { models, byId: new Map(models.map((model) => [model.id, model])) };
}

/** Models that only simulate one are chosen where there are no others. */
const isBuiltIn = ({ endpoints }: ModelListing): boolean =>
  endpoints.every(({ provider }) => provider.builtIn === true);

/** Filters ask for the kinds that a request names; one that names none needs a model that writes text. */
const writes = (
  { model: { outputModalities } }: ModelListing,
  { demand: { speech, outputs } }: PoolInput,
): boolean => speech === undefined && (outputs.length > 0 || outputModalities.includes("text"));

function poolModel(
  { model: { id, created }, endpoints }: ModelListing,
  { rules, named, ...restrictions }: PoolInput,
): PoolModel | undefined {
  const model = { ...named, name: id, endpoints };
  let [isAllowed, price, promptPrice] = [false, Infinity, Infinity];
  for (const endpoint of withByokEndpoints(endpoints, rules?.byokKeys ?? none).endpoints) {
    const profile = endpointProfile(endpoint);
    if (exclusionOf(profile, { ...restrictions, rules, model }) !== undefined) continue;
    isAllowed = true;
    const { blendedPrice, prices } = profile;
    if (blendedPrice === null || prices === null || blendedPrice >= price) continue;
    [price, promptPrice] = [blendedPrice, prices.prompt];
  }
  return isAllowed ? { id, created, endpoints, price, promptPrice } : undefined;
}

const none: readonly [] = [];
