/** The `provider` object of a request, made ready to be asked (specification, Nested request objects). */

import type { ProviderPreferences } from "../../../../shared/fields/gateway_preferences.ts";
import type { ProviderSort } from "../../../../shared/workspaces.ts";

export type EndpointSort = ProviderSort;

/** Bounds by percentile; those not named are not asked for. */
export interface PercentileBounds {
  readonly p50?: number;
  readonly p75?: number;
  readonly p90?: number;
  readonly p99?: number;
}

/** USD: prompt and completion per million tokens, the others per chunk. */
export interface MaxPrice {
  readonly prompt?: number;
  readonly completion?: number;
  readonly request?: number;
  readonly image?: number;
  readonly audio?: number;
}

export interface RoutingPreferences {
  /** Providers' names in small letters. */
  readonly order: readonly string[];
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly fallbacks: boolean;
  readonly requireParameters: boolean;
  readonly denyTraining: boolean;
  readonly zdr: boolean;
  readonly distillable: boolean;
  readonly quantizations: readonly string[] | undefined;
  readonly sort: EndpointSort | undefined;
  /** `none` sorts the endpoints of all named models together. */
  readonly partition: "model" | "none";
  /** Tokens a second. */
  readonly minThroughput: PercentileBounds | undefined;
  /** Seconds. */
  readonly maxLatency: PercentileBounds | undefined;
  readonly maxPrice: MaxPrice | undefined;
}

const none: RoutingPreferences = {
  order: [],
  only: undefined,
  ignore: [],
  fallbacks: true,
  requireParameters: false,
  denyTraining: false,
  zdr: false,
  distillable: false,
  quantizations: undefined,
  sort: undefined,
  partition: "model",
  minThroughput: undefined,
  maxLatency: undefined,
  maxPrice: undefined,
};

export function parsePreferences(input: ProviderPreferences | undefined): RoutingPreferences {
  if (input === undefined) return none;
  const { sort } = input;
  return {
    order: names(input.order) ?? [],
    only: names(input.only),
    ignore: names(input.ignore) ?? [],
    fallbacks: input.allow_fallbacks ?? true,
    requireParameters: input.require_parameters ?? false,
    denyTraining: input.data_collection === "deny",
    zdr: input.zdr ?? false,
    distillable: input.enforce_distillable_text ?? false,
    quantizations: nonEmpty(input.quantizations),
    sort: typeof sort === "string" ? sort : sort?.by ?? undefined,
    partition: typeof sort === "string" ? "model" : sort?.partition ?? "model",
    minThroughput: bounds(input.preferred_min_throughput),
    maxLatency: bounds(input.preferred_max_latency),
    maxPrice: maxPrice(input.max_price),
  };
}

/** An empty list is no preference. */
function nonEmpty<T>(list: readonly T[] | null | undefined): readonly T[] | undefined {
  return list === null || list === undefined || list.length === 0 ? undefined : list;
}

const names = (list: readonly string[] | null | undefined) =>
  nonEmpty(list)?.map((name) => name.trim().toLowerCase());

/** A bare number means the median. */
function bounds(input: ProviderPreferences["preferred_max_latency"]): PercentileBounds | undefined {
  if (input === null || input === undefined) return undefined;
  if (typeof input === "number") return { p50: input };
  const { p50, p75, p90, p99 } = input;
  return { p50: p50 ?? undefined, p75: p75 ?? undefined, p90: p90 ?? undefined, p99: p99 ?? undefined };
}

type InputPrices = NonNullable<ProviderPreferences["max_price"]>;

function maxPrice(input: InputPrices | null | undefined): MaxPrice | undefined {
  if (input === null || input === undefined) return undefined;
  const { prompt, completion, request, image, audio } = input;
  return {
    prompt: usd(prompt),
    completion: usd(completion),
    request: usd(request),
    image: usd(image),
    audio: usd(audio),
  };
}

const usd = (price: InputPrices["prompt"]) =>
  price === null || price === undefined ? undefined : Number(price);
