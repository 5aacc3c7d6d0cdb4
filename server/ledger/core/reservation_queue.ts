/**
 * Reservations under limits: taken at once, refused, or kept waiting for open holds, first come first served
 * (promises M1). Every decision is made in memory, between two turns of the event loop, so nothing can come
 * in between looking and taking.
 */

import type { Refusal } from "../../../shared/errors.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import {
  type Bound,
  type Quota,
  roomOf,
  standingOf,
  tightestOf,
  toldOf,
  usedOf,
  wholeLimit,
} from "./applied_limit.ts";
import type { Counter } from "./spend_counter.ts";
import { limitReached } from "./ledger_errors.ts";

/** What would be set aside. Amount in nano-USD, output cap in tokens. */
export interface Size {
  readonly amount: number;
  readonly cap: number | undefined;
}

/** Somebody who wants money set aside. */
export interface Claim {
  /** The limits that apply, as they were read last. */
  bounds: readonly Bound[];
  /** Of the key that asks. */
  readonly keyHash: string;
  /** The limits as they are now. Rejects with a Refusal where they cannot be read. */
  readBounds(): Promise<readonly Bound[]>;
  /** How much of what is held already belongs to the claim itself: a call that grows. */
  readonly own: number;
  /** The amount that a refusal names. */
  readonly wanted: number;
  /** What is asked for when `room` is left beside what is settled; undefined when that is too little. */
  size(room: number): Size | undefined;
  /** Sets the money aside. */
  take(size: Size): void;
  gone(): boolean;
}

export interface Waiter {
  readonly claim: Claim;
  /** Order of arrival. */
  readonly order: number;
  readonly resolve: (size: Size) => void;
  readonly reject: (error: unknown) => void;
  cancel: Cancel;
  /** In whose queue it stands. */
  bound: Bound;
  /** Times that its limits are being read again at the moment: nothing is decided by the old ones. */
  reading: number;
}

export interface WaitingOptions {
  readonly clock: Clock;
  readonly quota: Quota;
  /** How long a reservation waits, ms. */
  readonly waitMs: number;
  /** How many wait in one scope. */
  readonly maxWaiting: number;
  /** Other instances may change limits, which not every store announces: limits are read again while any wait. */
  readonly reread?: boolean;
}

const REREAD_MS = 1_000;

type Verdict =
  | { readonly type: "take"; readonly size: Size }
  | { readonly type: "wait"; readonly bound: Bound; readonly size: Size; readonly behind: boolean }
  | { readonly type: "refuse"; readonly bound: Bound };

interface Judging {
  readonly claim: Pick<Claim, "bounds" | "own" | "size">;
  readonly order: number;
  readonly quota?: Quota;
}

export type Outlook =
  | { readonly type: "allowed" | "waits"; readonly size: Size }
  | { readonly type: "refused"; readonly refusal: Refusal };

export class Waiting {
  readonly #options: WaitingOptions;
  /** All that wait, in order of arrival. */
  readonly #waiters = new Set<Waiter>();
  #arrivals = 0;
  #rereading: Cancel | undefined;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  /** Reservations that wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /** What was set aside. Throws, or rejects with, the Refusal of the limit that is in the way. */
  acquire(claim: Claim): Size | Promise<Size> {
    const order = this.#arrivals++;
    const verdict = this.#judge({ claim, order });
    switch (verdict.type) {
      case "take":
        claim.take(verdict.size);
        return verdict.size;
      case "refuse":
        throw limitReached(standingOf(verdict.bound), { wanted: claim.wanted });
      case "wait":
        if (verdict.bound.counter.queue.length >= this.#options.maxWaiting) {
          throw this.#late(claim, verdict.bound);
        }
        return this.#wait(claim, { order, verdict });
      default:
        return verdict satisfies never;
    }
  }

  /** What `acquire` would say now. */
  preview(bounds: readonly Bound[], sizing: Pick<Claim, "size" | "wanted">): Outlook {
    const { wanted } = sizing;
    const verdict = this.#judge({
      claim: { bounds, own: 0, size: (room) => sizing.size(room) },
      order: this.#arrivals,
      // A share of the limit that is missing would be taken first.
      quota: wholeLimit,
    });
    switch (verdict.type) {
      case "take":
        return { type: "allowed", size: verdict.size };
      case "refuse":
        return { type: "refused", refusal: limitReached(standingOf(verdict.bound), { wanted }) };
      case "wait": {
        const { bound, size } = verdict;
        if (bound.counter.queue.length < this.#options.maxWaiting) return { type: "waits", size };
        return { type: "refused", refusal: this.#late({ wanted }, bound) };
      }
      default:
        return verdict satisfies never;
    }
  }

  /** Lets those in who fit now, in their order. Called after money was released in a scope. */
  wake(counter: Counter): void {
    for (let head = counter.queue[0]; head; head = counter.queue[0]) {
      if (head.reading > 0) return;
      const { claim, order } = head;
      if (claim.gone()) {
        this.#end(head);
        head.reject(this.#late(claim, head.bound));
        continue;
      }
      const verdict = this.#judge({ claim, order });
      if (verdict.type === "wait" && verdict.bound.counter === counter) {
        this.#want(verdict);
        return;
      }
      this.#apply(head, verdict);
    }
  }

  /** Reads the limits of those that wait again, of one key or of all, and decides anew in order of arrival. */
  async reread(keyHash?: string): Promise<void> {
    const concerned = [...this.#waiters].filter(({ claim }) =>
      keyHash === undefined || claim.keyHash === keyHash
    );
    for (const waiter of concerned) waiter.reading++;
    await Promise.all(concerned.map((waiter) => this.#readBounds(waiter)));
    const counters = new Set(concerned.map(({ bound }) => bound.counter));
    for (const waiter of concerned) {
      if (waiter.reading > 0 || !this.#waiters.has(waiter)) continue;
      const { claim, order } = waiter;
      this.#apply(waiter, this.#judge({ claim, order }));
    }
    for (const counter of counters) this.wake(counter);
  }

  /** Ends every reservation that waits in a scope. */
  refuseAll(counter: Counter, refusal: Refusal): void {
    for (const waiter of [...counter.queue]) {
      this.#end(waiter);
      waiter.reject(refusal);
    }
  }

  #wait(
    claim: Claim,
    { order, verdict }: { readonly order: number; readonly verdict: Verdict & { readonly type: "wait" } },
  ): Promise<Size> {
    return new Promise((resolve, reject) => {
      const { bound } = verdict;
      const waiter: Waiter = { claim, order, resolve, reject, cancel: () => {}, bound, reading: 0 };
      waiter.cancel = this.#options.clock.after(this.#options.waitMs, () => this.#expire(waiter));
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

  async #readBounds(waiter: Waiter): Promise<void> {
    try {
      waiter.claim.bounds = await waiter.claim.readBounds();
    } catch (error) {
      this.#end(waiter);
      waiter.reject(error);
    } finally {
      waiter.reading--;
    }
  }

  #apply(waiter: Waiter, verdict: Verdict): void {
    const { claim } = waiter;
    if (verdict.type === "wait") {
      this.#leave(waiter);
      return this.#enqueue(waiter, verdict);
    }
    this.#end(waiter);
    if (verdict.type === "take") {
      claim.take(verdict.size);
      waiter.resolve(verdict.size);
    } else {
      waiter.reject(limitReached(standingOf(verdict.bound), { wanted: claim.wanted }));
    }
  }

  #judge({ claim, order, quota = this.#options.quota }: Judging): Verdict {
    const { bounds, own } = claim;
    const tightest = tightestOf(bounds);
    if (!tightest) return { type: "take", size: claim.size(Infinity) ?? { amount: 0, cap: undefined } };
    const size = claim.size(roomOf(tightest) - own);
    if (!size) {
      const blocks = (bound: Bound) => claim.size(roomOf(bound) - own) === undefined;
      return { type: "refuse", bound: toldOf(tightest, bounds.filter(blocks)) };
    }
    if (size.amount === 0) return { type: "take", size };
    for (const bound of bounds) {
      const behind = (bound.counter.queue[0]?.order ?? order) < order;
      const blocked = behind || usedOf(bound) + size.amount > quota.ceiling(bound);
      if (blocked) return { type: "wait", bound, size, behind };
    }
    return { type: "take", size };
  }

  #enqueue(waiter: Waiter, verdict: Verdict & { readonly type: "wait" }): void {
    waiter.bound = verdict.bound;
    const { queue } = verdict.bound.counter;
    const at = queue.findIndex(({ order }) => order > waiter.order);
    queue.splice(at === -1 ? queue.length : at, 0, waiter);
    if (!verdict.behind) this.#want(verdict);
  }

  #want({ bound, size: { amount } }: Verdict & { readonly type: "wait" }): void {
    this.#options.quota.want(bound, { amount, woken: () => this.wake(bound.counter) });
  }

  #leave(waiter: Waiter): void {
    const { queue } = waiter.bound.counter;
    const at = queue.indexOf(waiter);
    if (at !== -1) queue.splice(at, 1);
  }

  #end(waiter: Waiter): void {
    waiter.cancel();
    this.#waiters.delete(waiter);
    this.#leave(waiter);
    if (this.#waiters.size > 0) return;
    this.#rereading?.();
    this.#rereading = undefined;
  }

  #expire(waiter: Waiter): void {
    this.#end(waiter);
    waiter.reject(this.#late(waiter.claim, waiter.bound));
    this.wake(waiter.bound.counter);
  }

  #late({ wanted }: Pick<Claim, "wanted">, bound: Bound): Refusal {
    const retryAfter = Math.max(1, Math.ceil(this.#options.waitMs / 1_000));
    return limitReached(standingOf(bound), { wanted, retryAfter });
  }
}
