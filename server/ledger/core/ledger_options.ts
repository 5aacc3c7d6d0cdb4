/** What a ledger is made of. */

import type { Store } from "../../stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import type { LedgerLimits } from "./ledger_limits.ts";
import type { ProjectionPart } from "../projection/projection_part.ts";

export interface LedgerOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log">;
  /** What is made of receipts besides their counters. */
  readonly projectionParts: readonly ProjectionPart[];
  /** Whether other processes use the same store. */
  readonly isShared: boolean;
  readonly limits?: Partial<LedgerLimits>;
  /** A folder for receipts that the store cannot take; undefined where no disk stays. */
  readonly spool?: string;
}
