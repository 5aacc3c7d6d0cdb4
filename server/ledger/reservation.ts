/** The money of one call, while it is being set aside (promises M1). */

import type { LedgerHold } from "./hold.ts";
import type { Order } from "./ledger.ts";
import { Sizing } from "./sizing.ts";
import type { Bound, Claim, Size } from "./waiting.ts";

/** So much under these limits. */
export interface Placed {
  readonly size: Size;
  readonly bounds: readonly Bound[];
}

/** The tab, as its reservations see it. */
export interface Reserving {
  setAside(order: Order, placed: Placed): LedgerHold;
  /** Nobody needs the call any more. */
  readonly gone: boolean;
}

export interface Reserved {
  readonly order: Order;
  readonly bounds: readonly Bound[];
}

/** One is made with every request under a limit, so it needs no closures. */
export class Reservation extends Sizing implements Claim {
  readonly own = 0;
  readonly bounds: readonly Bound[];
  /** Set once it is taken. */
  hold: LedgerHold | undefined;
  readonly #tab: Reserving;
  readonly #order: Order;

  constructor(tab: Reserving, { order, bounds }: Reserved) {
    super(order);
    this.#tab = tab;
    this.#order = order;
    this.bounds = bounds;
  }

  take(size: Size): void {
    this.hold = this.#tab.setAside(this.#order, { size, bounds: this.bounds });
  }

  gone(): boolean {
    return this.#tab.gone;
  }
}
