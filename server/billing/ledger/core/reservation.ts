/** Money reserved for one call of a request. */

import { toNanoUsd } from "../../../../shared/money.ts";
import type { NanoUsd } from "../../../../shared/money.ts";
import type { ReservationState } from "../journal/journal_batch.ts";
import type { Reservation, ReservationRequest, Settlement } from "./ledger.ts";
import type { AppliedLimit, ReservationSize } from "./counters/spend_counter.ts";

/** The transaction, as its reservations see it. */
export interface ReservationOwner {
  /** How far a call is has changed. */
  onProgress(reservation: LedgerReservation): void;
  extend(reservation: LedgerReservation, more: NanoUsd): Promise<void>;
  settle(reservation: LedgerReservation, final: Settlement): void;
  /** Resolves when its calls stand in the journal. */
  durable(): Promise<void>;
}

interface ReservationOptions {
  readonly owner: ReservationOwner;
  readonly n: number;
  readonly request: ReservationRequest;
  readonly size: ReservationSize;
  readonly lowered: boolean;
  /** The limits that it counts against. */
  readonly appliedLimits: readonly AppliedLimit[];
}

export class LedgerReservation implements Reservation {
  readonly n: number;
  readonly maxOutputTokens: number | undefined;
  readonly lowered: boolean;
  readonly appliedLimits: readonly AppliedLimit[];
  readonly ownKey: boolean;
  amount: number;
  cost = 0;
  byok = 0;
  isFinal = false;
  readonly #owner: ReservationOwner;
  /** Computes the estimated cost of the input; called when the journal needs it. */
  #costBound: ReservationRequest["costBound"];
  #input = 0;
  readonly #endpoint: ReservationRequest["endpoint"];

  constructor({ owner, n, request, size, lowered, appliedLimits }: ReservationOptions) {
    this.#owner = owner;
    this.n = n;
    this.maxOutputTokens = size.maxOutputTokens;
    this.lowered = lowered;
    this.appliedLimits = appliedLimits;
    this.ownKey = request.byok;
    this.amount = size.amount;
    this.#costBound = request.costBound;
    this.#endpoint = request.endpoint;
  }

  get limited(): boolean {
    return this.appliedLimits.length > 0;
  }

  get reserved(): NanoUsd {
    return toNanoUsd(this.amount);
  }

  durable(): Promise<void> {
    return this.#owner.durable();
  }

  progress({ cost, byok }: Settlement): void {
    if (this.isFinal) return;
    this.cost = cost;
    this.byok = byok;
    this.#owner.onProgress(this);
  }

  extend(more: NanoUsd): Promise<void> {
    return this.isFinal ? Promise.resolve() : this.#owner.extend(this, more);
  }

  settle(final: Settlement): void {
    if (this.isFinal) return;
    this.#owner.settle(this, final);
    // It is over: nobody asks for an estimate, and the request that it was worked out from may go.
    this.#costBound = undefined;
  }

  release(): void {
    this.settle(NOTHING);
  }

  /** Once it is known, the request that it was worked out from may go. */
  #estimate(): number {
    if (this.#costBound === undefined) return this.#input;
    this.#input = this.#costBound.inputCost;
    this.#costBound = undefined;
    return this.#input;
  }

  state(): ReservationState {
    const { n, amount, cost, byok, isFinal } = this;
    const { id, model, provider } = this.#endpoint;
    return {
      n,
      reserved: amount,
      cost,
      byok,
      done: isFinal,
      input: this.#estimate(),
      own_key: this.ownKey,
      endpoint: { id, model, provider },
    };
  }
}

const NOTHING: Settlement = { cost: toNanoUsd(0), byok: toNanoUsd(0) };

/** Calls of one request from which on those that are over are told as one: a batch has to hold them. */
export const MAX_LISTED_RESERVATIONS = 20;

/** The states of a request's calls; of many, those that are over are added up in the last of them. */
export function reservationStates(reservations: readonly LedgerReservation[]): ReservationState[] {
  const states = reservations.map((reservation) => reservation.state());
  if (states.length <= MAX_LISTED_RESERVATIONS) return states;
  const last = states.findLast(({ done }) => done);
  if (!last) return states;
  const over = states.filter(({ done }) => done);
  const sumOf = (field: "reserved" | "cost" | "byok") => over.reduce((sum, state) => sum + state[field], 0);
  const sum = { ...last, reserved: sumOf("reserved"), cost: sumOf("cost"), byok: sumOf("byok") };
  return [sum, ...states.filter(({ done }) => !done)];
}
