/** What is written beside every group of receipts. */

import type { World } from "../world.ts";
import { Aggregates } from "./aggregates.ts";
import type { GroupPart } from "./group_part.ts";
import { receiptIndex } from "./receipt_index.ts";

/** Made once a process: what it counts belongs to this run. */
export function ledgerParts({ id }: Pick<World, "id">): readonly GroupPart[] {
  return [receiptIndex, new Aggregates({ start: id() })];
}
