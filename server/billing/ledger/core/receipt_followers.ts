/** Functions that are told of receipts as they are written. */

import type { Receipt } from "../../../../shared/receipts.ts";

/** Is called with each receipt, in the order in which they are written; must neither throw nor wait. */
export type ReceiptListener = (receipt: Receipt) => void;

/** Tells followers of what other processes write, from now until the function given back is called. */
type FollowOthers = (followers: ReceiptFollowers) => () => void;

/** The followers of one process, whatever name its ledger has in the store at the moment. */
export class ReceiptFollowers {
  readonly #listeners = new Set<ReceiptListener>();
  /** Names under which this process writes, and has written. */
  readonly names = new Set<string>();
  readonly #followOthers: FollowOthers;
  #unfollow: () => void = () => {};

  /** Where others write the same store, `followOthers` is called while somebody follows. */
  constructor(followOthers: FollowOthers = () => () => {}) {
    this.#followOthers = followOthers;
  }

  /** The function given back ends it; harmless twice. */
  add(listener: ReceiptListener): () => void {
    if (this.#listeners.size === 0) this.#unfollow = this.#followOthers(this);
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#unfollow();
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
