/** Removes receipts when their time is over, once an hour. */

import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { removeOldReceipts } from "./receipt_retention.ts";
import { RetentionJob } from "./retention_job.ts";

const EVERY_MS = 3_600_000;
/** Blocks in one step: several times as many as a busy gateway writes until the next. */
const MOST = 200;

export interface ReceiptRetentionOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** How long a receipt is kept, ms. */
  readonly keepMs: number;
}

export function receiptRetentionJob(
  { store, runtime: { clock, log }, keepMs }: ReceiptRetentionOptions,
): RetentionJob {
  const step = async () => {
    try {
      const count = await removeOldReceipts(store, { before: clock.now() - keepMs, most: MOST });
      if (count > 0) log.info("Expired receipts removed", { count });
      return count >= MOST;
    } catch (error) {
      log.warn("Cannot remove expired receipts; retrying in an hour", { error: String(error) });
      return false;
    }
  };
  return new RetentionJob({ clock, everyMs: EVERY_MS, step });
}
