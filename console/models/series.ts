/** Figures over time as charts want them: one value for each span, none missing. */

import type { Bucket, Series } from "../charts/chart_shape.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Range {
  readonly id: string;
  readonly text: string;
  readonly granularity: "minute" | "hour" | "day";
  /** Milliseconds of a bucket, and how many there are. */
  readonly span: number;
  readonly count: number;
}

/** Periods that can be looked at. */
export const ranges = [
  { id: "1h", text: "1 h", granularity: "minute", span: 60_000, count: 60 },
  { id: "24h", text: "24 h", granularity: "hour", span: HOUR, count: 24 },
  { id: "7d", text: "7 d", granularity: "day", span: DAY, count: 7 },
  { id: "30d", text: "30 d", granularity: "day", span: DAY, count: 30 },
] as const satisfies readonly Range[];

export type RangeId = (typeof ranges)[number]["id"];

export const rangeOf = (id: string | undefined): (typeof ranges)[number] =>
  ranges.find((range) => range.id === id) ?? ranges[1];

/** The buckets of a range, of which the last is running. */
export function bucketsOf({ span, count }: Pick<Range, "span" | "count">, now: number): readonly Bucket[] {
  const last = Math.floor(now / span) * span;
  return Array.from({ length: count }, (_, at) => {
    const from = last - (count - 1 - at) * span;
    return { from, to: from + span };
  });
}

/** One figure of a group in a span that begins at `at` (ms since the epoch). */
export interface Point {
  readonly name: string;
  readonly at: number;
  readonly value: number;
}

/** Series beyond this many are one. */
const MOST_SERIES = 5;

interface SeriesOptions {
  readonly buckets: readonly Bucket[];
  /** Names the rest: `9 other models`. */
  readonly others: (count: number) => string;
  readonly most?: number;
}

/** Groups with their sums, the largest first. */
export function largest(points: readonly Point[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const { name, value } of points) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** The largest groups as series of their own, the others as one, in the order of their sums. */
export function seriesOf(points: readonly Point[], { buckets, others, most = MOST_SERIES }: SeriesOptions) {
  const names = largest(points).map(([name]) => name);
  const own = names.length <= most + 1 ? names : names.slice(0, most);
  const rest = names.slice(own.length);
  const places = new Map(own.map((name, at) => [name, at]));
  const rows = Array.from({ length: own.length + (rest.length > 0 ? 1 : 0) }, () => buckets.map(() => 0));
  const first = buckets[0]?.from ?? 0;
  const span = (buckets[0]?.to ?? 1) - first;
  for (const { name, at, value } of points) {
    const row = rows[places.get(name) ?? own.length];
    const bucket = Math.floor((at - first) / span);
    if (row !== undefined && bucket >= 0 && bucket < buckets.length) row[bucket] = (row[bucket] ?? 0) + value;
  }
  return rows.map((values, at): Series => ({
    name: own[at] ?? others(rest.length),
    values,
    hue: `f${Math.min(6, at + 1)}`,
  }));
}

export const sumOf = ({ values }: Series): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Values with the sum of all before them. */
export function addUp(series: Series): Series {
  let sum = 0;
  return { ...series, values: series.values.map((value) => sum += value ?? 0) };
}
