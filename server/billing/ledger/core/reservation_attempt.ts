/** The money of one call, while it is being reserved (promises M1). */

import { type NanoUsd, toNanoUsd } from "../../../../shared/money.ts";
import type { LedgerReservation } from "./reservation.ts";
import type { BillingContext, ReservationRequest, SpendingLimit } from "./ledger.ts";
import type { AppliedLimit, ReservationAttempt, ReservationSize } from "./counters/spend_counter.ts";

/** So much under these limits. */
export interface ReservedSize {
  readonly size: ReservationSize;
  readonly appliedLimits: readonly AppliedLimit[];
}

/** The transaction, as its reservations see it. */
export interface AttemptOwner {
  readonly keyHash: string;
  reserveAmount(request: ReservationRequest, placed: ReservedSize): LedgerReservation;
  enlarge(reservation: LedgerReservation, more: NanoUsd): void;
  /** The limits that a call falls under now. Rejects with an ApiError where they cannot be read. */
  appliedLimitsNow(call: Pick<ReservationRequest, "byok">): Promise<readonly AppliedLimit[]>;
  /** Nobody needs the call any more. */
  readonly isClosed: boolean;
}

interface AttemptInput {
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
export class ReservationSizing
  implements Pick<ReservationAttempt, "size" | "requestedAmount" | "providerTools"> {
  readonly requestedAmount: number;
  readonly #costBound: ReservationRequest["costBound"];
  readonly #cap: number;

  constructor(
    { costBound, requestedMaxTokens, defaultMaxTokens }: ReservationRequest,
  ) {
    this.#costBound = costBound;
    this.#cap = requestedMaxTokens ?? defaultMaxTokens;
    this.requestedAmount = costBound?.total(this.#cap) ?? 0;
  }

  get providerTools(): readonly string[] | undefined {
    return this.#costBound?.providerTools;
  }

  size(room: number): ReservationSize | undefined {
    const cap = this.#cap;
    if (this.requestedAmount === 0 || this.requestedAmount <= room) {
      return { amount: this.requestedAmount, maxOutputTokens: cap };
    }
    const costBound = this.#costBound;
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
  readonly #transaction: AttemptOwner;
  readonly #order: ReservationRequest;

  constructor(transaction: AttemptOwner, { request, bounds }: AttemptInput) {
    super(request);
    this.#transaction = transaction;
    this.#order = request;
    this.appliedLimits = bounds;
  }

  get keyHash(): string {
    return this.#transaction.keyHash;
  }

  readAppliedLimits(): Promise<readonly AppliedLimit[]> {
    return this.#transaction.appliedLimitsNow(this.#order);
  }

  reserve(size: ReservationSize): void {
    this.reservation = this.#transaction.reserveAmount(this.#order, {
      size,
      appliedLimits: this.appliedLimits,
    });
  }

  isCancelled(): boolean {
    return this.#transaction.isClosed;
  }
}

interface Growing {
  readonly reservation: LedgerReservation;
  readonly more: NanoUsd;
  readonly bounds: readonly AppliedLimit[];
}

/** More money for a call that is under way. */
export class Growth implements ReservationAttempt {
  appliedLimits: readonly AppliedLimit[];
  readonly requestedAmount: NanoUsd;
  readonly #transaction: AttemptOwner;
  readonly #reservation: LedgerReservation;

  constructor(transaction: AttemptOwner, { reservation, more, bounds }: Growing) {
    this.#transaction = transaction;
    this.#reservation = reservation;
    this.requestedAmount = more;
    this.appliedLimits = bounds;
  }

  get ownReserved(): number {
    return this.#reservation.amount;
  }

  get keyHash(): string {
    return this.#transaction.keyHash;
  }

  readAppliedLimits(): Promise<readonly AppliedLimit[]> {
    return this.#transaction.appliedLimitsNow({ byok: this.#reservation.ownKey });
  }

  size(room: number): ReservationSize | undefined {
    return this.requestedAmount <= room
      ? { amount: this.requestedAmount, maxOutputTokens: undefined }
      : undefined;
  }

  reserve(): void {
    this.#transaction.enlarge(this.#reservation, this.requestedAmount);
  }

  isCancelled(): boolean {
    return this.#reservation.isFinal || this.#transaction.isClosed;
  }
}
