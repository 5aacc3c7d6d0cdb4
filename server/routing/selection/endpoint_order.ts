/** In which order endpoints that may serve are asked: by what the caller prefers, then by rendezvous. */

import type { Hash } from "./hash.ts";
import type { AskedModel } from "./model_names.ts";
import { tierOf } from "./byok_endpoints.ts";
import type { Profile } from "./endpoint_profile.ts";
import type { EndpointStats, Percentiles } from "../health/endpoint_stats.ts";
import { drawOf } from "./weighted_rendezvous.ts";
import type { Bounds, SortBy, Wishes } from "./provider_preferences.ts";

/** An endpoint that may serve the request. */
export interface Candidate {
  readonly profile: Profile;
  readonly asked: AskedModel;
  readonly weight: number;
  /** Preferences as numbers, lower first, the first that differs decides; equals are left to the draw. */
  readonly rank: readonly number[];
  readonly draw: number;
}

export interface Allowed {
  readonly profile: Profile;
  readonly asked: AskedModel;
  readonly weight: number;
}

export interface Ordering {
  readonly wishes: Wishes;
  readonly stats: EndpointStats;
  readonly key: Hash;
  /** Whether the endpoint made ciphers that the request carries. */
  readonly isHome: (profile: Profile) => boolean;
}

/**
 * The named models in their order, unless all are sorted together; within each those that the caller's own provider
 * keys reach before the gateway's, and before its fallback keys; then the endpoint that made the request's ciphers, then those that `order` lists, then the others: those first that meet the soft preferences,
 * then by `sort`.
 */
export function inOrder(allowed: readonly Allowed[], ordering: Ordering): readonly Candidate[] {
  const candidates = allowed.map((one): Candidate => ({
    ...one,
    rank: rankOf(one, ordering),
    draw: drawOf(ordering.key, one.profile, one),
  }));
  return candidates.length < 2 ? candidates : candidates.sort(compare);
}

function compare(one: Candidate, other: Candidate): number {
  const byRank = compareRanks(one.rank, other.rank);
  if (byRank !== 0) return byRank;
  if (one.draw !== other.draw) return one.draw - other.draw;
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

function rankOf({ profile, asked }: Allowed, { wishes, stats, isHome }: Ordering): readonly number[] {
  const listed = wishes.order.findIndex((name) => profile.names.has(name));
  const sort = wishes.sort ?? asked.sort;
  return [
    wishes.partition === "none" ? 0 : asked.at,
    tierOf(profile.endpoint),
    isHome(profile) ? 0 : 1,
    listed === -1 ? wishes.order.length : listed,
    listed === -1 && misses(profile, { wishes, stats }) ? 1 : 0,
    listed === -1 && sort !== undefined ? figureOf(profile, { sort, stats }) : 0,
    profile.endpoint.ownKey?.order ?? 0,
  ];
}

interface Softly {
  readonly wishes: Wishes;
  readonly stats: EndpointStats;
}

/** Figures that nobody has measured yet are no reason against an endpoint. */
function misses({ endpoint }: Profile, { wishes: { minThroughput, maxLatency }, stats }: Softly): boolean {
  if (minThroughput !== undefined) {
    const fits = (measured: number, bound: number) => measured >= bound;
    if (breaks(stats.throughput(endpoint.id), minThroughput, { fits })) return true;
  }
  if (maxLatency === undefined) return false;
  const fits = (measured: number, bound: number) => measured <= bound * 1_000;
  return breaks(stats.latency(endpoint.id), maxLatency, { fits });
}

const percentiles = ["p50", "p75", "p90", "p99"] as const;

interface Test {
  readonly fits: (measured: number, bound: number) => boolean;
}

function breaks(measured: Percentiles | undefined, bounds: Bounds, { fits }: Test): boolean {
  if (measured === undefined) return false;
  return percentiles.some((name) => {
    const bound = bounds[name];
    return bound !== undefined && !fits(measured[name], bound);
  });
}

interface Sorting {
  readonly sort: SortBy;
  readonly stats: EndpointStats;
}

/** What is unknown comes last. */
export function figureOf({ endpoint, blended }: Profile, { sort, stats }: Sorting): number {
  switch (sort) {
    case "price":
      return blended ?? Infinity;
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
