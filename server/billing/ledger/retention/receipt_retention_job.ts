/** Removes receipts when their time is over, once an hour. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { type OnLeaving, removeOldReceipts } from "./receipt_retention.ts";

const EVERY_MS = 3_600_000;
/** Batches in one step: several times as many as a busy gateway writes until the next. */
const MOST = 200;

interface ReceiptRetentionOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** How long a receipt is kept, ms. */
  readonly keepMs: number;
  readonly onLeaving?: OnLeaving;
}

export function receiptRetentionJob(
  { store, runtime, keepMs, onLeaving }: ReceiptRetentionOptions,
): PeriodicJob {
  const { clock, log } = runtime;
  return new PeriodicJob({
    runtime,
    everyMs: EVERY_MS,
    step: async () => {
      const before = clock.now() - keepMs;
      const count = await removeOldReceipts(store, { before, most: MOST, onLeaving });
      if (count > 0) log.info("Expired receipts removed", { count });
      return count >= MOST;
    },
    failure: "Cannot remove expired receipts; retrying in an hour",
  });
}
