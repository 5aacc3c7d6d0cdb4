/**
 * Names of the buckets in which spend is counted (promises M3). There is no job that resets anything: a moment
 * has its UTC day, ISO week (from Monday), month and lifetime, and another moment has other names.
 */

import type { LimitPeriod } from "../ledger.ts";

export type BucketNames = { readonly [P in LimitPeriod]: string };

const DAY_MS = 86_400_000;
/** The first day of the Unix epoch was a Thursday; weeks count from Monday. */
const EPOCH_WEEKDAY = 3;
const THURSDAY = 3;

let latest: { readonly day: number; readonly buckets: BucketNames } | undefined;

/**
 * The buckets of a moment, in ms since the epoch: `d2026-11-21`, `w2026-W47`, `m2026-11`, `lifetime`. Names of one
 * kind sort as time does. Moments of one day mostly get the same object.
 */
export function bucketNamesAt(ms: number): BucketNames {
  const day = Math.floor(ms / DAY_MS);
  if (latest?.day === day) return latest.buckets;
  const date = new Date(day * DAY_MS).toISOString();
  const buckets: BucketNames = {
    daily: `d${date.slice(0, 10)}`,
    weekly: `w${weekOf(day)}`,
    monthly: `m${date.slice(0, 7)}`,
    lifetime: "lifetime",
  };
  latest = { day, buckets };
  return buckets;
}

/** When the bucket of a moment ends, in ms since the epoch; undefined for the one that never does. */
export function bucketEndsAt(period: LimitPeriod, ms: number): number | undefined {
  const day = Math.floor(ms / DAY_MS);
  switch (period) {
    case "daily":
      return (day + 1) * DAY_MS;
    case "weekly":
      return (day - weekday(day) + 7) * DAY_MS;
    case "monthly": {
      const date = new Date(ms);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
    case "lifetime":
      return undefined;
    default:
      return period satisfies never;
  }
}

/** True for a bucket that has ended before a moment, in ms since the epoch; that of a lifetime never does. */
export function hasBucketEnded(bucket: string, ms: number): boolean {
  const { daily, weekly, monthly } = bucketNamesAt(ms);
  return [daily, weekly, monthly].some((name) => name[0] === bucket[0] && bucket < name);
}

/** `2026-W47`: a week belongs to the year in which its Thursday lies (ISO 8601). */
function weekOf(day: number): string {
  const thursday = day - weekday(day) + THURSDAY;
  const year = new Date(thursday * DAY_MS).getUTCFullYear();
  const first = Date.UTC(year, 0, 1) / DAY_MS;
  const week = Math.floor((thursday - first) / 7) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/** 0 on Mondays. */
function weekday(day: number): number {
  return (((day + EPOCH_WEEKDAY) % 7) + 7) % 7;
}
