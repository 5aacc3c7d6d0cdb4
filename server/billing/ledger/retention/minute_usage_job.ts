/** Removes the rows of minutes that nobody may ask for any more. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { timeSpanIndex, timeSpans, usageRowSpan } from "../usage/usage_rows.ts";
import { removeOldRows } from "./old_rows.ts";

/** Minutes can be asked for over the last 24 hours. */
export const MINUTE_ROWS_RETENTION_MS = timeSpans.day;
/** For requests that were on their way when the minute was asked for. */
const MARGIN_MS = timeSpans.hour;

interface RemoveMinuteRowsOptions {
  /** Ms since the epoch. */
  readonly now: number;
  /** Rows removed at most. */
  readonly most: number;
}

/** Returns the number of rows that it removed. */
export function removeMinuteRows(store: Store, { now, most }: RemoveMinuteRowsOptions): Promise<number> {
  const end = timeSpanIndex("minute", now - MINUTE_ROWS_RETENTION_MS - MARGIN_MS);
  return removeOldRows(store, { rows: "usage_minute", isOld: (entry) => usageRowSpan(entry) < end, most });
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
