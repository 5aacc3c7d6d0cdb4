/** What is written beside every group of receipts. */

import type { World } from "../world.ts";
import { Aggregates } from "./aggregates.ts";
import type { GroupPart } from "./group_part.ts";
import { receiptIndex } from "./receipt_index.ts";

/** Enough that no two runs are ever named alike, and short, because every row's key carries it. */
const START_BYTES = 9;

/** Made once a process: what it counts belongs to this run. */
export function ledgerParts({ randomToken }: Pick<World, "randomToken">): readonly GroupPart[] {
  return [receiptIndex, new Aggregates({ start: randomToken(START_BYTES) })];
}
