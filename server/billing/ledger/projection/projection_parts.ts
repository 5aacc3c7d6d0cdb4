/** Lists the rows that are made of every receipt besides its counters. */

import type { Runtime } from "../../../runtime.ts";
import { TaskCounters } from "../usage/task_counters.ts";
import { UsageCounters } from "../usage/usage_counters.ts";
import type { ProjectionPart } from "./projection_part.ts";
import { ReceiptIndex } from "../index/receipt_index.ts";

/** Enough that no two runs are ever named alike, and short, because every row's key carries it. */
const START_BYTES = 9;

/** Made once a process: what it counts belongs to this run. */
export function createProjectionParts(
  { randomToken }: Pick<Runtime, "randomToken">,
): readonly ProjectionPart[] {
  const start = randomToken(START_BYTES);
  return [new ReceiptIndex(), new UsageCounters({ start }), new TaskCounters({ start })];
}
