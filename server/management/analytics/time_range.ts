/** Which time a question is about, and how it is cut into spans. */

import type { AnalyticsQuery, Granularity } from "../../../shared/management/analytics.ts";
import { type TimeSpan, timeSpans } from "../../billing/ledger/usage/usage_rows.ts";
import { MINUTE_ROWS_RETENTION_MS } from "../../billing/ledger/retention/minute_usage_job.ts";
import { invalidQuery } from "./query_error.ts";

interface TimeRange {
  /** Ms since the epoch. */
  readonly from: number;
  /** Outside. */
  readonly to: number;
  readonly grain: TimeSpan;
  /** Start of the span that a moment lies in; undefined: all is one. */
  readonly bucket?: (at: number) => number;
}

const { minute: MINUTE, hour: HOUR, day: DAY } = timeSpans;

/** Default length of the range, by the grain into which it is cut. */
const fallback: Readonly<Record<Granularity, number>> = {
  minute: HOUR,
  hour: DAY,
  day: 30 * DAY,
  week: 84 * DAY,
  month: 365 * DAY,
};

/** The first day of the Unix epoch was a Thursday: three days after a Monday. */
const EPOCH_WEEKDAY = 3;

const buckets: Readonly<Record<Granularity, (at: number) => number>> = {
  minute: (at) => at - at % MINUTE,
  hour: (at) => at - at % HOUR,
  day: (at) => at - at % DAY,
  week: (at) => (Math.floor((at / DAY + EPOCH_WEEKDAY) / 7) * 7 - EPOCH_WEEKDAY) * DAY,
  month: (at) => {
    const date = new Date(at);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  },
};

const grains: Readonly<Record<Granularity, TimeSpan>> = {
  minute: "minute",
  hour: "hour",
  day: "day",
  week: "day",
  month: "day",
};

/** The last moment that a date of four digits can name. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);

/** Throws an ApiError (400) for a range that is none, or has minutes that are no longer kept. */
export function parseTimeRange({ granularity, time_range }: AnalyticsQuery, now: number): TimeRange {
  const to = time_range === undefined ? now + 1 : Date.parse(time_range.end);
  const from = time_range === undefined ? now - fallback[granularity ?? "day"] : Date.parse(time_range.start);
  if (!(from >= 0 && from < to && to <= LAST_MOMENT)) {
    throw invalidQuery(
      "time_range",
      "time_range ends before it begins; allowed is a start from 1970 on, before its end",
    );
  }
  if (granularity === undefined) return { from, to, grain: "day" };
  if (granularity === "minute" && from < now - MINUTE_ROWS_RETENTION_MS) {
    throw invalidQuery(
      "time_range.start",
      `time_range.start is ${iso(from)}; with granularity "minute" allowed is ${
        iso(now - MINUTE_ROWS_RETENTION_MS)
      } or later`,
    );
  }
  return { from, to, grain: grains[granularity], bucket: buckets[granularity] };
}

const iso = (at: number): string => new Date(at).toISOString();

/** Warns the caller when the range does not begin and end where rows do. */
export function wideningWarnings({ from, to, grain }: TimeRange): readonly string[] {
  const unit = grain === "minute" ? "minute" : "hour";
  if (from % timeSpans[unit] === 0 && to % timeSpans[unit] === 0) return [];
  return [`The time range was widened to whole ${unit}s of UTC.`];
}
