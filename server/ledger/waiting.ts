/**
 * Reservations under limits: taken at once, refused, or kept waiting for open holds, first come first served
 * (promises M1). Every decision is made in memory, between two turns of the event loop, so nothing can come
 * in between looking and taking.
 */

import type { Refusal } from "../../shared/errors.ts";
import type { Cancel, Clock } from "../world.ts";
import type { Cell, Counter } from "./counter.ts";
import type { Limit } from "./ledger.ts";
import { limitReached, type Standing } from "./refusals.ts";

/** A limit with what it is held against. */
export interface Bound {
  readonly limit: Limit;
  readonly counter: Counter;
  readonly cell: Cell;
  /** The moment that names the cell's bucket. */
  readonly at: number;
}

/** What would be set aside. Amount in nano-USD, output cap in tokens. */
export interface Size {
  readonly amount: number;
  readonly cap: number | undefined;
}

/** Somebody who wants money set aside. */
export interface Claim {
  readonly bounds: readonly Bound[];
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

/** How much of a limit this instance may use. On the embedded store that is all of it. */
export interface Quota {
  /** The most that this instance may have settled and held in the bucket, in nano-USD. */
  ceiling(bound: Bound): number;
  /** Tells that `amount` more would fit the limit but not the ceiling; `woken` is called when that may have changed. */
  want(bound: Bound, wish: { readonly amount: number; readonly woken: () => void }): void;
}

export const wholeLimit: Quota = {
  ceiling: ({ limit, cell }) => limit.amount - others(limit, cell),
  want: () => {},
};

export interface Waiter {
  readonly claim: Claim;
  /** Order of arrival. */
  readonly order: number;
  readonly resolve: (size: Size) => void;
  readonly reject: (error: unknown) => void;
  cancel: Cancel;
  /** In whose queue it stands. */
  bound: Bound;
}

export interface WaitingOptions {
  readonly clock: Clock;
  readonly quota: Quota;
  /** How long a reservation waits, ms. */
  readonly waitMs: number;
  /** How many wait in one scope. */
  readonly maxWaiting: number;
}

type Verdict =
  | { readonly type: "take"; readonly size: Size }
  | { readonly type: "wait"; readonly bound: Bound; readonly size: Size; readonly behind: boolean }
  | { readonly type: "refuse"; readonly bound: Bound };

interface Judging {
  readonly claim: Claim;
  readonly order: number;
  readonly quota?: Quota;
}

export type Outlook =
  | { readonly type: "allowed" | "waits"; readonly size: Size }
  | { readonly type: "refused"; readonly refusal: Refusal };

export class Waiting {
  readonly #options: WaitingOptions;
  #arrivals = 0;

  constructor(options: WaitingOptions) {
    this.#options = options;
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
        return new Promise((resolve, reject) => {
          const waiter = { claim, order, resolve, reject, cancel: () => {}, bound: verdict.bound };
          waiter.cancel = this.#options.clock.after(this.#options.waitMs, () => this.#expire(waiter));
          this.#enqueue(waiter, verdict);
        });
      default:
        return verdict satisfies never;
    }
  }

  /** What `acquire` would say now. */
  preview(bounds: readonly Bound[], sizing: Pick<Claim, "size" | "wanted">): Outlook {
    const { wanted } = sizing;
    const verdict = this.#judge({
      claim: { bounds, wanted, size: (room) => sizing.size(room), own: 0, take: () => {}, gone: () => false },
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
      const { claim, order } = head;
      if (claim.gone()) {
        this.#leave(head);
        head.reject(this.#late(claim, head.bound));
        continue;
      }
      const verdict = this.#judge({ claim, order });
      if (verdict.type === "wait" && verdict.bound.counter === counter) {
        this.#want(verdict);
        return;
      }
      counter.queue.shift();
      if (verdict.type === "wait") {
        this.#enqueue(head, verdict);
        continue;
      }
      head.cancel();
      if (verdict.type === "take") {
        claim.take(verdict.size);
        head.resolve(verdict.size);
      } else {
        head.reject(limitReached(standingOf(verdict.bound), { wanted: claim.wanted }));
      }
    }
  }

  /** Ends every reservation that waits in a scope. */
  refuseAll(counter: Counter, refusal: Refusal): void {
    for (const waiter of counter.queue.splice(0)) {
      waiter.cancel();
      waiter.reject(refusal);
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
    waiter.cancel();
    const { queue } = waiter.bound.counter;
    const at = queue.indexOf(waiter);
    if (at !== -1) queue.splice(at, 1);
  }

  #expire(waiter: Waiter): void {
    this.#leave(waiter);
    waiter.reject(this.#late(waiter.claim, waiter.bound));
    this.wake(waiter.bound.counter);
  }

  #late({ wanted }: Pick<Claim, "wanted">, bound: Bound): Refusal {
    const retryAfter = Math.max(1, Math.ceil(this.#options.waitMs / 1_000));
    return limitReached(standingOf(bound), { wanted, retryAfter });
  }
}

/** The limit under which the least is left beside what is settled; of several, the first. It is told in refusals. */
export function tightestOf(bounds: readonly Bound[]): Bound | undefined {
  let tightest = bounds[0];
  for (const bound of bounds) if (tightest && roomOf(bound) < roomOf(tightest)) tightest = bound;
  return tightest;
}

const breadths: readonly Limit["period"][] = ["daily", "weekly", "monthly", "lifetime"];

/** What a refusal names: of a workspace's budgets the broadest that is in the way, else the tightest limit. */
export function toldOf(tightest: Bound, inTheWay: readonly Bound[]): Bound {
  if (tightest.limit.source !== "workspace_budget") return tightest;
  const breadth = ({ limit: { period } }: Bound) => breadths.indexOf(period);
  return inTheWay.filter(({ limit }) => limit.source === "workspace_budget")
    .reduce((told, bound) => breadth(bound) > breadth(told) ? bound : told, tightest);
}

function roomOf({ limit, cell }: Bound): number {
  return limit.amount - settledOf(limit, cell);
}

/** Settled by all instances. */
export function settledOf(limit: Limit, cell: Cell): number {
  return cell.cost + (limit.includeByok ? cell.byok : 0) + others(limit, cell);
}

function others({ includeByok }: Limit, cell: Cell): number {
  return cell.othersCost + (includeByok ? cell.othersByok : 0);
}

export function heldOf({ includeByok }: Limit, cell: Cell): number {
  return cell.heldCost + (includeByok ? cell.heldByok : 0);
}

/** Settled and held by this instance. */
export function usedOf({ limit, cell }: Bound): number {
  return cell.cost + (limit.includeByok ? cell.byok : 0) + heldOf(limit, cell);
}

export function standingOf({ limit, cell, at }: Bound): Standing {
  return { limit, spent: settledOf(limit, cell), held: heldOf(limit, cell), at };
}
