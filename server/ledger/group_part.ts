/** Rows that are written together with a group of receipts: what finds them again, and what counts them. */

import type { Receipt } from "../../shared/receipts.ts";
import type { Put, StoreKey } from "../stores/store.ts";

/** One group commit, as its parts see it. */
export interface Group {
  /** In the order in which they were closed. */
  readonly receipts: readonly Receipt[];
  /** The key of the journal block that holds them. */
  readonly block: StoreKey;
  /** Names the instance that writes; rows that several instances write carry it. */
  readonly instance: string;
}

/**
 * Gives the rows of a group. Called once a group, in the order of the groups; a commit whose reply was lost is
 * tried again with the same rows. All rows are small (see `Commit.small`), and absolute: writing them twice
 * changes nothing.
 */
export interface GroupPart {
  puts(group: Group): readonly Put[];
  /** The part of a ledger that begins anew in the same process: of the last group nobody knows whether it was written. */
  renewed?(): GroupPart;
}
