/** The money of one call, while it is being set aside (promises M1). */

import { type NanoUsd, toNanoUsd } from "../../../shared/money.ts";
import type { AppliedLimit } from "./applied_limit.ts";
import type { LedgerReservation } from "./reservation.ts";
import type { BillingContext, ReservationRequest, SpendingLimit } from "./ledger.ts";
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
  /** The limits that a call falls under now. Rejects with an ApiError where they cannot be read. */
  boundsNow(call: Pick<ReservationRequest, "byok">): Promise<readonly AppliedLimit[]>;
  /** Nobody needs the call any more. */
  readonly isClosed: boolean;
}

export interface AttemptInput {
  readonly request: ReservationRequest;
  readonly bounds: readonly AppliedLimit[];
}

/** The floor of a lowered output cap, in tokens. */
const MIN_CAP = 256;

/** The limits under which a call falls: one on a key of the caller's own, only where they count that. */
export const applicableLimits = (
  { limits }: BillingContext,
  { byok }: Pick<ReservationRequest, "byok">,
): readonly SpendingLimit[] => byok ? limits.filter(({ includeByok }) => includeByok) : limits;

/** The whole, or what fits into the room that is left with a lower cap. */
export class ReservationSizing implements Pick<ReservationAttempt, "size" | "requestedAmount"> {
  readonly requestedAmount: number;
  readonly #worst: ReservationRequest["costBound"];
  readonly #cap: number;

  constructor({ costBound, requestedMaxTokens: askedCap, defaultMaxTokens: usualCap }: ReservationRequest) {
    this.#worst = costBound;
    this.#cap = askedCap ?? usualCap;
    this.requestedAmount = costBound?.total(this.#cap) ?? 0;
  }

  size(room: number): ReservationSize | undefined {
    const cap = this.#cap;
    if (this.requestedAmount === 0 || this.requestedAmount <= room) {
      return { amount: this.requestedAmount, maxOutputTokens: cap };
    }
    const costBound = this.#worst;
    const within = Math.min(cap, costBound?.maxTokensWithin(toNanoUsd(Math.max(0, room))) ?? -1);
    if (within < Math.min(cap, MIN_CAP)) return undefined;
    return { amount: costBound?.total(within) ?? 0, maxOutputTokens: within };
  }
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
