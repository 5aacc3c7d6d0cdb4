/** Tags of receipts that are written for a gateway which has died: by the rules of the moment in which they are. */

import type { Receipt } from "../../../../../shared/receipts.ts";

/** Finds the tags that rules put on a receipt. */
type Tagger = (receipt: Receipt) => readonly string[];

export interface TaggerSource {
  /** Reads the rules; absent: there are none. Rejects where the store does not say. */
  readonly readTagger?: () => Promise<Tagger>;
}
