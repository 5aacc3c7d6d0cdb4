/** Functions that are told of receipts as they are written. */

import type { Receipt } from "../../../../shared/receipts.ts";

/** Is called with each receipt, in the order in which they are written; must neither throw nor wait. */
export type ReceiptListener = (receipt: Receipt) => void;

/** Tells followers of what other processes write, from now until the function given back is called. */
type FollowOthers = (followers: ReceiptFollowers) => () => void;

/** The followers of one process, whatever name its ledger has in the store at the moment. */
export class ReceiptFollowers {
  /** Names under which this process writes, and has written. */
  readonly names = new Set<string>();
  readonly #ofOwn = new Set<ReceiptListener>();
  readonly #ofAll = new Set<ReceiptListener>();
  readonly #followOthers: FollowOthers;
  #unfollow: () => void = () => {};

  /** Where others write the same store, `followOthers` is called while somebody follows all. */
  constructor(followOthers: FollowOthers = () => () => {}) {
    this.#followOthers = followOthers;
  }

  /** The function given back ends it; harmless twice. */
  add(listener: ReceiptListener): () => void {
    this.#ofOwn.add(listener);
    return () => {
      this.#ofOwn.delete(listener);
    };
  }

  /** The same for receipts of other processes too. */
  addToAll(listener: ReceiptListener): () => void {
    if (this.#ofAll.size === 0) this.#unfollow = this.#followOthers(this);
    this.#ofAll.add(listener);
    return () => {
      if (this.#ofAll.delete(listener) && this.#ofAll.size === 0) this.#unfollow();
    };
  }

  /** Tells of the receipts of a batch that this process has written into the store. */
  tell(receipts: readonly (Receipt | undefined)[]): void {
    tellAll(this.#ofOwn, receipts);
    tellAll(this.#ofAll, receipts);
  }

  /** The same of another process's. */
  tellOfOther(receipts: readonly Receipt[]): void {
    tellAll(this.#ofAll, receipts);
  }
}

function tellAll(listeners: ReadonlySet<ReceiptListener>, receipts: readonly (Receipt | undefined)[]): void {
  if (listeners.size === 0) return;
  for (const receipt of receipts) {
    if (receipt === undefined) continue;
    for (const listener of listeners) listener(receipt);
  }
}
