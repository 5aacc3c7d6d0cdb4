/** What is made of every receipt besides its counters. */

import type { World } from "../../runtime.ts";
import { Aggregates } from "../usage/usage_counters.ts";
import type { PostingPart } from "./projection_part.ts";
import { ReceiptIndex } from "../index/receipt_index.ts";

/** Enough that no two runs are ever named alike, and short, because every row's key carries it. */
const START_BYTES = 9;

/** Made once a process: what it counts belongs to this run. */
export function ledgerParts({ randomToken }: Pick<World, "randomToken">): readonly PostingPart[] {
  return [new ReceiptIndex(), new Aggregates({ start: randomToken(START_BYTES) })];
}
