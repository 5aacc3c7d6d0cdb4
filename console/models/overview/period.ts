/** The period that the Overview looks at: one of the ranges that end now, or between two moments of the address. */

import type { Bucket } from "../../charts/chart_shape.ts";
import { formatShortDay, formatTime } from "../../format.ts";
import { overviewText } from "../../text/overview.ts";
import { momentOf } from "../requests/request_filters.ts";
import { bucketsOf, type RangeId, rangeOf } from "../series.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer periods are counted by the day. */
const MOST_HOURS = 48;
/** Days of a period, at most. */
export const MOST_DAYS = 366;

export interface OverviewPeriod {
  readonly id: RangeId | "custom";
  /** `24 h`; empty between two moments. */
  readonly text: string;
  /** `last 24 h`, `3 Nov, 00:00 to 9 Nov, 00:00`. */
  readonly span: string;
  readonly granularity: "minute" | "hour" | "day";
  readonly buckets: readonly Bucket[];
  /** Place of the bucket that is not over yet; undefined where the period is over. */
  readonly running: number | undefined;
}

const momentText = (at: number) => `${formatShortDay(at)}, ${formatTime(at)}`;

/** The period between two moments, widened to whole hours or days; undefined for what is none. */
function between({ since, until }: { readonly since: number; readonly until: number }) {
  const isByHour = until - since <= MOST_HOURS * HOUR_MS;
  const span = isByHour ? HOUR_MS : DAY_MS;
  const [from, to] = [Math.floor(since / span) * span, Math.ceil(until / span) * span];
  const count = (to - from) / span;
  if (!(since < until) || count > Math.max(MOST_HOURS + 1, MOST_DAYS)) return undefined;
  const buckets = Array.from({ length: count }, (_, at) => ({
    from: from + at * span,
    to: from + (at + 1) * span,
  }));
  return { granularity: isByHour ? "hour" as const : "day" as const, buckets, from, to };
}

function runningOf(buckets: readonly Bucket[], now: number): number | undefined {
  const at = buckets.findIndex(({ from, to }) => from <= now && now < to);
  return at < 0 ? undefined : at;
}

/** Reads the period of an address. */
export function periodOf(query: ReadonlyMap<string, string>, now: number): OverviewPeriod {
  const since = momentOf(query.get("since"));
  const custom = since === undefined
    ? undefined
    : between({ since, until: momentOf(query.get("until")) ?? now });
  if (custom !== undefined) {
    const { granularity, buckets, from, to } = custom;
    const span = `${momentText(from)} to ${momentText(to)}`;
    return { id: "custom", text: "", span, granularity, buckets, running: runningOf(buckets, now) };
  }
  const range = rangeOf(query.get("range"));
  const buckets = bucketsOf(range, now);
  const { id, text, granularity } = range;
  const span = overviewText.last(text);
  return { id, text, span, granularity, buckets, running: buckets.length - 1 };
}

/** Spans of a period that are over, and as many before the period; ms since the epoch. */
export function comparedSpans({ buckets, running }: Pick<OverviewPeriod, "buckets" | "running">) {
  const over = running === undefined ? buckets : buckets.slice(0, running);
  const [first, last] = [over[0], over.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const length = (buckets.at(-1)?.to ?? 0) - first.from;
  return {
    now: { from: first.from, to: last.to },
    before: { from: first.from - length, to: last.to - length },
  };
}
