/**
 * Reservations under limits: taken at once, refused, or kept waiting for open reservations, first come first served
 * (promises M1). Every decision is made in memory, between two turns of the event loop, so nothing can come in
 * between looking and taking.
 */

import type { ApiError } from "../../../../shared/errors.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import {
  fullQuota,
  type InstanceQuota,
  limitStanding,
  remainingAmount,
  reportedLimit,
  tightestLimit,
  usedAmount,
} from "./applied_limit.ts";
import type {
  AppliedLimit,
  QueuedReservation,
  ReservationAttempt,
  ReservationSize,
  SpendCounter,
} from "./counters/spend_counter.ts";
import { limitReachedError, type WantedAmount } from "./ledger_errors.ts";

interface ReservationQueueOptions {
  readonly clock: Clock;
  readonly quota: InstanceQuota;
  /** How long a reservation waits, ms. */
  readonly reservationWaitMs: number;
  /** How many wait in one scope. */
  readonly maxQueuedReservations: number;
  /** Other instances may change limits, which not every store announces: limits are read again while any wait. */
  readonly reread?: boolean;
}

const REREAD_MS = 1_000;

type ReservationDecision =
  | { readonly type: "take"; readonly size: ReservationSize }
  | {
    readonly type: "wait";
    readonly bound: AppliedLimit;
    readonly size: ReservationSize;
    readonly behind: boolean;
  }
  | { readonly type: "refuse"; readonly bound: AppliedLimit };

interface DecisionInput {
  readonly attempt: Pick<ReservationAttempt, "appliedLimits" | "ownReserved" | "size">;
  readonly order: number;
  readonly quota?: InstanceQuota;
}

type ReservationOutlook =
  | { readonly type: "allowed" | "waits"; readonly size: ReservationSize }
  | { readonly type: "refused"; readonly error: ApiError };

export class ReservationQueue {
  readonly #options: ReservationQueueOptions;
  /** All that wait, in order of arrival. */
  readonly #waiters = new Set<QueuedReservation>();
  #arrivals = 0;
  #rereading: Cancel | undefined;

  constructor(options: ReservationQueueOptions) {
    this.#options = options;
  }

  /** Reservations that wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /**
   * Reserves an amount, or waits in the queue until it is free. Throws, or rejects with, the ApiError of the limit
   * that is in the way.
   */
  reserve(attempt: ReservationAttempt): ReservationSize | Promise<ReservationSize> {
    const order = this.#arrivals++;
    const verdict = this.#judge({ attempt, order });
    switch (verdict.type) {
      case "take":
        attempt.reserve(verdict.size);
        return verdict.size;
      case "refuse":
        throw limitReachedError(limitStanding(verdict.bound), { wanted: attempt });
      case "wait":
        if (verdict.bound.counter.queue.length >= this.#options.maxQueuedReservations) {
          throw this.#late(attempt, verdict.bound);
        }
        return this.#wait(attempt, { order, verdict });
      default:
        return verdict satisfies never;
    }
  }

  /** Says what `reserve` would do now. */
  preview(
    appliedLimits: readonly AppliedLimit[],
    sizing: WantedAmount & Pick<ReservationAttempt, "size">,
  ): ReservationOutlook {
    const verdict = this.#judge({
      attempt: { appliedLimits, ownReserved: 0, size: (room) => sizing.size(room) },
      order: this.#arrivals,
      // A missing part of the quota would be taken first.
      quota: fullQuota,
    });
    switch (verdict.type) {
      case "take":
        return { type: "allowed", size: verdict.size };
      case "refuse":
        return {
          type: "refused",
          error: limitReachedError(limitStanding(verdict.bound), { wanted: sizing }),
        };
      case "wait": {
        const { bound, size } = verdict;
        if (bound.counter.queue.length < this.#options.maxQueuedReservations) return { type: "waits", size };
        return { type: "refused", error: this.#late(sizing, bound) };
      }
      default:
        return verdict satisfies never;
    }
  }

  /** Lets those in who fit now, in their order. Called after money was released in a scope. */
  wake(counter: SpendCounter): void {
    for (let head = counter.queue[0]; head; head = counter.queue[0]) {
      if (head.reading > 0) return;
      const { attempt, order } = head;
      if (attempt.isCancelled()) {
        this.#end(head);
        head.reject(this.#late(attempt, head.blockedBy));
        continue;
      }
      const verdict = this.#judge({ attempt, order });
      if (verdict.type === "wait" && verdict.bound.counter === counter) {
        this.#want(head, verdict.size);
        return;
      }
      this.#apply(head, verdict);
    }
  }

  /** Reads the limits of those that wait again, of one key or of all, and decides anew in order of arrival. */
  async reread(keyHash?: string): Promise<void> {
    const concerned = [...this.#waiters].filter(({ attempt }) =>
      keyHash === undefined || attempt.keyHash === keyHash
    );
    for (const waiter of concerned) waiter.reading++;
    await Promise.all(concerned.map((waiter) => this.#readAppliedLimits(waiter)));
    const counters = new Set(concerned.map(({ blockedBy }) => blockedBy.counter));
    for (const waiter of concerned) {
      if (waiter.reading > 0 || !this.#waiters.has(waiter)) continue;
      const { attempt, order } = waiter;
      this.#apply(waiter, this.#judge({ attempt, order }));
    }
    for (const counter of counters) this.wake(counter);
  }

  /** Ends every reservation that waits in a scope. */
  rejectAll(counter: SpendCounter, error: ApiError): void {
    for (const waiter of [...counter.queue]) {
      this.#end(waiter);
      waiter.reject(error);
    }
  }

  #wait(
    attempt: ReservationAttempt,
    { order, verdict }: {
      readonly order: number;
      readonly verdict: ReservationDecision & { readonly type: "wait" };
    },
  ): Promise<ReservationSize> {
    // Ends with `#expire`.
    return new Promise((resolve, reject) => {
      const { bound } = verdict;
      const waiter: QueuedReservation = {
        attempt,
        order,
        resolve,
        reject,
        cancel: () => {},
        blockedBy: bound,
        reading: 0,
        // It may stand in another queue by then than in the one where it asked.
        woken: () => this.wake(waiter.blockedBy.counter),
      };
      waiter.cancel = this.#options.clock.after(this.#options.reservationWaitMs, () => this.#expire(waiter));
      this.#waiters.add(waiter);
      this.#enqueue(waiter, verdict);
      this.#rereadLater();
    });
  }

  #rereadLater(): void {
    const { clock, reread = false } = this.#options;
    if (!reread || this.#rereading !== undefined) return;
    this.#rereading = clock.after(REREAD_MS, () => {
      this.#rereading = undefined;
      if (this.#waiters.size === 0) return;
      this.#rereadLater();
      void this.reread();
    });
  }

  async #readAppliedLimits(waiter: QueuedReservation): Promise<void> {
    try {
      waiter.attempt.appliedLimits = await waiter.attempt.readAppliedLimits();
    } catch (error) {
      this.#end(waiter);
      waiter.reject(error);
    } finally {
      waiter.reading--;
    }
  }

  #apply(waiter: QueuedReservation, verdict: ReservationDecision): void {
    const { attempt } = waiter;
    if (verdict.type === "wait") {
      this.#leave(waiter);
      return this.#enqueue(waiter, verdict);
    }
    this.#end(waiter);
    if (verdict.type === "take") {
      attempt.reserve(verdict.size);
      waiter.resolve(verdict.size);
    } else {
      waiter.reject(limitReachedError(limitStanding(verdict.bound), { wanted: attempt }));
    }
  }

  #judge({ attempt, order, quota = this.#options.quota }: DecisionInput): ReservationDecision {
    const { appliedLimits, ownReserved } = attempt;
    const tightest = tightestLimit(appliedLimits);
    if (!tightest) {
      return { type: "take", size: attempt.size(Infinity) ?? { amount: 0, maxOutputTokens: undefined } };
    }
    const size = attempt.size(remainingAmount(tightest) - ownReserved);
    if (!size) {
      const batches = (limit: AppliedLimit) =>
        attempt.size(remainingAmount(limit) - ownReserved) === undefined;
      return { type: "refuse", bound: reportedLimit(tightest, appliedLimits.filter(batches)) };
    }
    if (size.amount === 0) return { type: "take", size };
    for (const limit of appliedLimits) {
      const behind = (limit.counter.queue[0]?.order ?? order) < order;
      const blocked = behind || usedAmount(limit) + size.amount > quota.ceiling(limit);
      if (blocked) return { type: "wait", bound: limit, size, behind };
    }
    return { type: "take", size };
  }

  #enqueue(waiter: QueuedReservation, verdict: ReservationDecision & { readonly type: "wait" }): void {
    waiter.blockedBy = verdict.bound;
    const { queue } = verdict.bound.counter;
    const at = queue.findIndex(({ order }) => order > waiter.order);
    queue.splice(at === -1 ? queue.length : at, 0, waiter);
    if (!verdict.behind) this.#want(waiter, verdict.size);
  }

  /** Tells every quota at once: to ask for one after another would take longer than anybody waits. */
  #want(waiter: QueuedReservation, { amount }: ReservationSize): void {
    for (const limit of waiter.attempt.appliedLimits) this.#options.quota.need(limit, { amount, waiter });
  }

  #leave(waiter: QueuedReservation): void {
    const { queue } = waiter.blockedBy.counter;
    const at = queue.indexOf(waiter);
    if (at !== -1) queue.splice(at, 1);
    this.#options.quota.forget(waiter);
  }

  #end(waiter: QueuedReservation): void {
    waiter.cancel();
    this.#waiters.delete(waiter);
    this.#leave(waiter);
    if (this.#waiters.size > 0) return;
    this.#rereading?.();
    this.#rereading = undefined;
  }

  #expire(waiter: QueuedReservation): void {
    this.#end(waiter);
    waiter.reject(this.#late(waiter.attempt, waiter.blockedBy));
    this.wake(waiter.blockedBy.counter);
  }

  #late(wanted: WantedAmount, limit: AppliedLimit): ApiError {
    const retryAfter = Math.max(1, Math.ceil(this.#options.reservationWaitMs / 1_000));
    return limitReachedError(limitStanding(limit), { wanted, retryAfter });
  }
}
