/** State of the loop that commits journal batches. */

import type { PreparedBatch } from "./batch_builder.ts";
import type { CommitWaiter } from "./journaled_request.ts";

export type CommitState = "running" | "failing" | "fenced" | "stopped";

/** The commit that is under way. */
export interface CommitInFlight {
  readonly group: PreparedBatch;
  readonly since: number;
  readonly landed: CommitWaiter;
}
