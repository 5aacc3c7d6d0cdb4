/** Removes the sums by task of hours that count no more. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { firstTaskHour, taskRowHour } from "../usage/task_query.ts";
import { TASK_ROWS } from "../usage/task_rows.ts";
import { removeOldRows } from "./old_rows.ts";

const EVERY_MS = 600_000;
/** Rows in one step. */
const MOST = 5_000;

interface TaskRowsJobOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** Every ten minutes. */
export function taskRowsJob({ store, runtime }: TaskRowsJobOptions): PeriodicJob {
  return new PeriodicJob({
    runtime,
    everyMs: EVERY_MS,
    step: async () => {
      const first = firstTaskHour(runtime.clock.now());
      const isOld = (entry: Parameters<typeof taskRowHour>[0]) => taskRowHour(entry) < first;
      return await removeOldRows(store, { rows: TASK_ROWS, isOld, most: MOST }) >= MOST;
    },
    failure: "Cannot remove old sums by task; retrying in ten minutes",
  });
}
