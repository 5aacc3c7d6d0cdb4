/** The money of one call, while it is being set aside (promises M1). */

import type { NanoUsd } from "../../../shared/money.ts";
import type { AppliedLimit } from "./applied_limit.ts";
import type { LedgerReservation } from "./reservation.ts";
import type { ReservationRequest } from "./ledger.ts";
import { ReservationSizing } from "./reservation_sizing.ts";
import type { ReservationAttempt, ReservationSize } from "./spend_counter.ts";

/** So much under these limits. */
export interface ReservedSize {
  readonly size: ReservationSize;
  readonly appliedLimits: readonly AppliedLimit[];
}

/** The tab, as its reservations see it. */
export interface AttemptOwner {
  readonly keyHash: string;
  reserveAmount(request: ReservationRequest, placed: ReservedSize): LedgerReservation;
  enlarge(reservation: LedgerReservation, more: NanoUsd): void;
  /** The limits that a call falls under now. Rejects with a Refusal where they cannot be read. */
  boundsNow(call: Pick<ReservationRequest, "byok">): Promise<readonly AppliedLimit[]>;
  /** Nobody needs the call any more. */
  readonly isClosed: boolean;
}

export interface AttemptInput {
  readonly request: ReservationRequest;
  readonly bounds: readonly AppliedLimit[];
}

/** One is made with every request under a limit, so it needs no closures. */
export class CallReservationAttempt extends ReservationSizing implements ReservationAttempt {
  readonly ownReserved = 0;
  appliedLimits: readonly AppliedLimit[];
  /** Set once it is taken. */
  reservation: LedgerReservation | undefined;
  readonly #tab: AttemptOwner;
  readonly #order: ReservationRequest;

  constructor(tab: AttemptOwner, { request, bounds }: AttemptInput) {
    super(request);
    this.#tab = tab;
    this.#order = request;
    this.appliedLimits = bounds;
  }

  get keyHash(): string {
    return this.#tab.keyHash;
  }

  readBounds(): Promise<readonly AppliedLimit[]> {
    return this.#tab.boundsNow(this.#order);
  }

  reserve(size: ReservationSize): void {
    this.reservation = this.#tab.reserveAmount(this.#order, { size, appliedLimits: this.appliedLimits });
  }

  isCancelled(): boolean {
    return this.#tab.isClosed;
  }
}

export interface Growing {
  readonly reservation: LedgerReservation;
  readonly more: NanoUsd;
  readonly bounds: readonly AppliedLimit[];
}

/** More money for a call that is under way. */
export class Growth implements ReservationAttempt {
  appliedLimits: readonly AppliedLimit[];
  readonly requestedAmount: NanoUsd;
  readonly #tab: AttemptOwner;
  readonly #hold: LedgerReservation;

  constructor(tab: AttemptOwner, { reservation, more, bounds }: Growing) {
    this.#tab = tab;
    this.#hold = reservation;
    this.requestedAmount = more;
    this.appliedLimits = bounds;
  }

  get ownReserved(): number {
    return this.#hold.amount;
  }

  get keyHash(): string {
    return this.#tab.keyHash;
  }

  readBounds(): Promise<readonly AppliedLimit[]> {
    return this.#tab.boundsNow({ byok: this.#hold.ownKey });
  }

  size(room: number): ReservationSize | undefined {
    return this.requestedAmount <= room
      ? { amount: this.requestedAmount, maxOutputTokens: undefined }
      : undefined;
  }

  reserve(): void {
    this.#tab.enlarge(this.#hold, this.requestedAmount);
  }

  isCancelled(): boolean {
    return this.#hold.isFinal || this.#tab.isClosed;
  }
}
