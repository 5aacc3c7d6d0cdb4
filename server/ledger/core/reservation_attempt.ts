/** The money of one call, while it is being set aside (promises M1). */

import type { NanoUsd } from "../../../shared/money.ts";
import type { Bound } from "./applied_limit.ts";
import type { LedgerHold } from "./reservation.ts";
import type { Order } from "./ledger.ts";
import { Sizing } from "./reservation_sizing.ts";
import type { Claim, Size } from "./reservation_queue.ts";

/** So much under these limits. */
export interface Placed {
  readonly size: Size;
  readonly bounds: readonly Bound[];
}

/** The tab, as its reservations see it. */
export interface Reserving {
  readonly keyHash: string;
  setAside(order: Order, placed: Placed): LedgerHold;
  enlarge(hold: LedgerHold, more: NanoUsd): void;
  /** The limits that a call falls under now. Rejects with a Refusal where they cannot be read. */
  boundsNow(call: Pick<Order, "byok">): Promise<readonly Bound[]>;
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
  bounds: readonly Bound[];
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

  get keyHash(): string {
    return this.#tab.keyHash;
  }

  readBounds(): Promise<readonly Bound[]> {
    return this.#tab.boundsNow(this.#order);
  }

  take(size: Size): void {
    this.hold = this.#tab.setAside(this.#order, { size, bounds: this.bounds });
  }

  gone(): boolean {
    return this.#tab.gone;
  }
}

export interface Growing {
  readonly hold: LedgerHold;
  readonly more: NanoUsd;
  readonly bounds: readonly Bound[];
}

/** More money for a call that is under way. */
export class Growth implements Claim {
  bounds: readonly Bound[];
  readonly wanted: NanoUsd;
  readonly #tab: Reserving;
  readonly #hold: LedgerHold;

  constructor(tab: Reserving, { hold, more, bounds }: Growing) {
    this.#tab = tab;
    this.#hold = hold;
    this.wanted = more;
    this.bounds = bounds;
  }

  get own(): number {
    return this.#hold.amount;
  }

  get keyHash(): string {
    return this.#tab.keyHash;
  }

  readBounds(): Promise<readonly Bound[]> {
    return this.#tab.boundsNow({ byok: this.#hold.ownKey });
  }

  size(room: number): Size | undefined {
    return this.wanted <= room ? { amount: this.wanted, cap: undefined } : undefined;
  }

  take(): void {
    this.#tab.enlarge(this.#hold, this.wanted);
  }

  gone(): boolean {
    return this.#hold.done || this.#tab.gone;
  }
}
