/** Removes receipts when their time is over, once an hour. */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { retire } from "./receipt_retention.ts";
import { Sweep } from "./retention_job.ts";

const EVERY_MS = 3_600_000;
/** Blocks in one step: several times as many as a busy gateway writes until the next. */
const MOST = 200;

export interface ReceiptSweepOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
  /** How long a receipt is kept, ms. */
  readonly keepMs: number;
}

export function receiptSweep({ store, world: { clock, log }, keepMs }: ReceiptSweepOptions): Sweep {
  const step = async () => {
    try {
      const count = await retire(store, { before: clock.now() - keepMs, most: MOST });
      if (count > 0) log.info("Old receipts were removed", { count });
      return count >= MOST;
    } catch (error) {
      log.warn("Old receipts cannot be removed: tried again in an hour", { error: String(error) });
      return false;
    }
  };
  return new Sweep({ clock, everyMs: EVERY_MS, step });
}
