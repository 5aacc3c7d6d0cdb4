/** In which order endpoints that may serve are asked: by what the caller prefers, then by rendezvous. */

import type { Hash } from "./hash.ts";
import type { RequestedModel } from "./model_names.ts";
import { keyTier } from "./byok_endpoints.ts";
import type { EndpointProfile } from "./endpoint_profile.ts";
import type { EndpointStats } from "../health/endpoint_stats.ts";
import { rendezvousScore } from "./weighted_rendezvous.ts";
import type { EndpointSort, PercentileBounds, RoutingPreferences } from "./provider_preferences.ts";
import type { Percentiles } from "../health/percentile_window.ts";

/** An endpoint that may serve the request. */
export interface RouteCandidate {
  readonly profile: EndpointProfile;
  readonly model: RequestedModel;
  readonly weight: number;
  /** Preferences as numbers, lower first, the first that differs decides; equals are left to the draw. */
  readonly rank: readonly number[];
  readonly tieBreak: number;
}

export interface AllowedEndpoint {
  readonly profile: EndpointProfile;
  readonly model: RequestedModel;
  readonly weight: number;
}

interface OrderingContext {
  readonly preferences: RoutingPreferences;
  readonly stats: EndpointStats;
  readonly key: Hash;
  /** Whether the endpoint made encrypted reasoning that the request carries. */
  readonly isReasoningOrigin: (profile: EndpointProfile) => boolean;
}

/**
 * The named models in their order, unless all are sorted together; within each those that the caller's own provider
 * keys reach before the gateway's, and before its fallback keys; then the endpoint that made the request's
 * encrypted reasoning, then those that `order` lists, then the others: those first that meet the soft preferences,
 * then by `sort`.
 */
export function orderCandidates(
  allowed: readonly AllowedEndpoint[],
  ordering: OrderingContext,
): readonly RouteCandidate[] {
  const candidates = allowed.map((one): RouteCandidate => ({
    ...one,
    rank: rankOf(one, ordering),
    tieBreak: rendezvousScore(ordering.key, one.profile, one),
  }));
  return candidates.length < 2 ? candidates : candidates.sort(compare);
}

function compare(one: RouteCandidate, other: RouteCandidate): number {
  const byRank = compareRanks(one.rank, other.rank);
  if (byRank !== 0) return byRank;
  if (one.tieBreak !== other.tieBreak) return one.tieBreak - other.tieBreak;
  return one.profile.endpoint.id < other.profile.endpoint.id ? -1 : 1;
}

export function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < one.length; at++) {
    const mine = one[at] ?? 0;
    const theirs = other[at] ?? 0;
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  return 0;
}

function rankOf(
  { profile, model }: AllowedEndpoint,
  { preferences, stats, isReasoningOrigin }: OrderingContext,
): readonly number[] {
  const listed = preferences.order.findIndex((name) => profile.names.has(name));
  const sort = preferences.sort ?? model.sort;
  return [
    preferences.partition === "none" ? 0 : model.position,
    keyTier(profile.endpoint),
    isReasoningOrigin(profile) ? 0 : 1,
    listed === -1 ? preferences.order.length : listed,
    listed === -1 && missesPreference(profile, { preferences, stats }) ? 1 : 0,
    listed === -1 && sort !== undefined ? sortValue(profile, { sort, stats }) : 0,
    profile.endpoint.byokKey?.order ?? 0,
  ];
}

interface PreferenceContext {
  readonly preferences: RoutingPreferences;
  readonly stats: EndpointStats;
}

/** Figures that nobody has measured yet are no reason against an endpoint. */
function missesPreference(
  { endpoint }: EndpointProfile,
  { preferences: { minThroughput, maxLatency }, stats }: PreferenceContext,
): boolean {
  if (minThroughput !== undefined) {
    const fits = (measured: number, bound: number) => measured >= bound;
    if (violatesBounds(stats.throughput(endpoint.id), minThroughput, { fits })) return true;
  }
  if (maxLatency === undefined) return false;
  const fits = (measured: number, bound: number) => measured <= bound * 1_000;
  return violatesBounds(stats.latency(endpoint.id), maxLatency, { fits });
}

const percentiles = ["p50", "p75", "p90", "p99"] as const;

interface Test {
  readonly fits: (measured: number, bound: number) => boolean;
}

function violatesBounds(
  measured: Percentiles | undefined,
  bounds: PercentileBounds,
  { fits }: Test,
): boolean {
  if (measured === undefined) return false;
  return percentiles.some((name) => {
    const bound = bounds[name];
    return bound !== undefined && !fits(measured[name], bound);
  });
}

interface Sorting {
  readonly sort: EndpointSort;
  readonly stats: EndpointStats;
}

/** Value by which an endpoint is sorted; an unknown one comes last. */
function sortValue(
  { endpoint, blendedPrice }: EndpointProfile,
  { sort, stats }: Sorting,
): number {
  switch (sort) {
    case "price":
      return blendedPrice ?? Infinity;
    case "throughput":
      return -(stats.throughput(endpoint.id)?.p50 ?? -Infinity);
    case "latency":
      return stats.latency(endpoint.id)?.p50 ?? Infinity;
    case "exacto":
      return -(endpoint.scores?.exacto ?? -Infinity);
    default:
      return sort satisfies never;
  }
}
