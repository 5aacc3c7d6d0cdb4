/** A limit as it applies to one request: which cell it is compared with, what is left of it, and which one is reported. */

import type { SpendBucket, SpendCounter } from "./spend_counter.ts";
import type { SpendingLimit } from "./ledger.ts";
import type { LimitStanding } from "./ledger_errors.ts";

/** A limit with what it is held against. */
export interface AppliedLimit {
  readonly limit: SpendingLimit;
  readonly counter: SpendCounter;
  readonly bucket: SpendBucket;
  /** The moment that names the cell's bucket. */
  readonly at: number;
}

/** How much of a limit this instance may use. On the embedded store that is all of it. */
export interface InstanceQuota {
  /** The most that this instance may have settled and held in the bucket, in nano-USD. */
  ceiling(bound: AppliedLimit): number;
  /** Tells that `amount` more would fit the limit but not the ceiling; `woken` is called when that may have changed. */
  requestMore(bound: AppliedLimit, wish: { readonly amount: number; readonly woken: () => void }): void;
}

export const fullQuota: InstanceQuota = {
  ceiling: ({ limit, bucket }) => limit.amount - otherInstancesAmount(limit, bucket),
  requestMore: () => {},
};

/** The limit under which the least is left beside what is settled; of several, the first. It is told in refusals. */
export function tightestLimit(bounds: readonly AppliedLimit[]): AppliedLimit | undefined {
  let tightest = bounds[0];
  for (const bound of bounds) {
    if (tightest && remainingAmount(bound) < remainingAmount(tightest)) tightest = bound;
  }
  return tightest;
}

const breadths: readonly SpendingLimit["period"][] = ["daily", "weekly", "monthly", "lifetime"];

/** What a refusal names: of a workspace's budgets the broadest that is in the way, else the tightest limit. */
export function reportedLimit(tightest: AppliedLimit, inTheWay: readonly AppliedLimit[]): AppliedLimit {
  if (tightest.limit.source !== "workspace_budget") return tightest;
  const breadth = ({ limit: { period } }: AppliedLimit) => breadths.indexOf(period);
  return inTheWay.filter(({ limit }) => limit.source === "workspace_budget")
    .reduce((told, bound) => breadth(bound) > breadth(told) ? bound : told, tightest);
}

export function remainingAmount({ limit, bucket }: AppliedLimit): number {
  return limit.amount - settledAmount(limit, bucket);
}

/** Settled by all instances. */
export function settledAmount(limit: SpendingLimit, bucket: SpendBucket): number {
  return bucket.cost + (limit.includeByok ? bucket.byok : 0) + otherInstancesAmount(limit, bucket);
}

function otherInstancesAmount({ includeByok }: SpendingLimit, bucket: SpendBucket): number {
  return bucket.othersCost + (includeByok ? bucket.othersByok : 0);
}

export function reservedAmount({ includeByok }: SpendingLimit, bucket: SpendBucket): number {
  return bucket.reservedCost + (includeByok ? bucket.reservedByok : 0);
}

/** Settled and held by this instance. */
export function usedAmount({ limit, bucket }: AppliedLimit): number {
  return bucket.cost + (limit.includeByok ? bucket.byok : 0) + reservedAmount(limit, bucket);
}

export function limitStanding({ limit, bucket, at }: AppliedLimit): LimitStanding {
  return { limit, spent: settledAmount(limit, bucket), reserved: reservedAmount(limit, bucket), at };
}
