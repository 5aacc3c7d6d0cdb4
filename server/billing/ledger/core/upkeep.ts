/** Keeps the ledger's records in order beside requests, from the start to the end of a gateway. */

import type { Store } from "../../../storage/stores/store.ts";
import type { Runtime } from "../../../runtime.ts";
import { JournalCheck } from "../journal/recovery/journal_check.ts";
import { minuteUsageJob } from "../retention/minute_usage_job.ts";
import type { OnLeaving } from "../retention/receipt_retention.ts";
import { receiptRetentionJob } from "../retention/receipt_retention_job.ts";
import { taskRowsJob } from "../retention/task_rows_job.ts";

interface UpkeepOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** How long a receipt is kept, ms. */
  readonly keepMs: number;
  /** Is told of receipts before they are removed because their time is over. */
  readonly onLeaving?: OnLeaving;
}

export interface Upkeep {
  /** For `/readyz`: what is wrong with the journal, where anything is. */
  readonly details: { readonly journal?: string };
  close(): Promise<void>;
}

export function startUpkeep(options: UpkeepOptions): Upkeep {
  const journal = new JournalCheck(options);
  const jobs = [minuteUsageJob(options), taskRowsJob(options), receiptRetentionJob(options), journal];
  return {
    get details() {
      return journal.trouble === undefined ? {} : { journal: journal.trouble };
    },
    close: async () => {
      for (const job of jobs) await job.close();
    },
  };
}
