/** Functions that are told of receipts as they are written. */

import type { Receipt } from "../../../../shared/receipts.ts";

/** Is called with each receipt, in the order in which they are written; must neither throw nor wait. */
export type ReceiptListener = (receipt: Receipt) => void;

/** The followers of one process, whatever name its ledger has in the store at the moment. */
export class ReceiptFollowers {
  readonly #listeners = new Set<ReceiptListener>();

  /** The function given back ends it; harmless twice. */
  add(listener: ReceiptListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Tells of the receipts of a batch that is in the store. */
  tell(receipts: readonly (Receipt | undefined)[]): void {
    if (this.#listeners.size === 0) return;
    for (const receipt of receipts) {
      if (receipt === undefined) continue;
      for (const listener of this.#listeners) listener(receipt);
    }
  }
}
