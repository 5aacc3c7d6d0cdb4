/** Removes the rows of minutes that nobody may ask for any more. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { timeSpanIndex, timeSpans, usageRowSpan } from "../usage/usage_rows.ts";

/** Minutes can be asked for over the last 24 hours. */
export const MINUTE_ROWS_RETENTION_MS = timeSpans.day;
/** For requests that were on their way when the minute was asked for. */
const MARGIN_MS = timeSpans.hour;

const PAGE = 500;

interface RemoveMinuteRowsOptions {
  /** Ms since the epoch. */
  readonly now: number;
  /** Rows removed at most. */
  readonly most: number;
}

/** Returns the number of rows that it removed. Rows of every process; two such jobs at once harm nothing. */
export async function removeMinuteRows(
  store: Store,
  { now, most }: RemoveMinuteRowsOptions,
): Promise<number> {
  const end = timeSpanIndex("minute", now - MINUTE_ROWS_RETENTION_MS - MARGIN_MS);
  let removed = 0;
  while (removed < most) {
    const entries = await store.list(["usage_minute"], { limit: Math.min(PAGE, most - removed) });
    const old = entries.filter((entry) => usageRowSpan(entry) < end);
    if (old.length > 0) await store.commit({ deletes: old.map(({ key }) => key), small: true });
    removed += old.length;
    if (old.length < PAGE) return removed;
  }
  return removed;
}

const EVERY_MS = 60_000;
/** Rows in one step. */
const MOST = 5_000;

interface MinuteUsageJobOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** Once a minute. */
export function minuteUsageJob({ store, runtime }: MinuteUsageJobOptions): PeriodicJob {
  return new PeriodicJob({
    runtime,
    everyMs: EVERY_MS,
    step: async () => await removeMinuteRows(store, { now: runtime.clock.now(), most: MOST }) >= MOST,
    failure: "Cannot remove old minute rows; retrying in a minute",
  });
}
