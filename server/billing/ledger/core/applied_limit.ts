/** A limit as it applies to one request: its bucket, what is left of it, and which one an error reports. */

import type { AppliedLimit, QuotaWaiter, SpendBucket } from "./counters/spend_counter.ts";
import type { SpendingLimit } from "./ledger.ts";
import type { LimitStanding } from "./ledger_errors.ts";

/** How much of a limit this instance may use. On the embedded store that is all of it. */
export interface InstanceQuota {
  /** The most that this instance may have settled and held in the bucket, in nano-USD. */
  ceiling(limit: AppliedLimit): number;
  /**
   * Tells that somebody waits who needs `amount` more under the limit. Where the ceiling is too low for that, more is
   * taken, and the waiter is woken when it may have changed; where it is not, the amount is kept if others ask for it.
   */
  need(limit: AppliedLimit, need: QuotaNeed): void;
  /** The waiter needs nothing any more of what it has told. */
  forget(waiter: QuotaWaiter): void;
}

export interface QuotaNeed {
  readonly amount: number;
  readonly waiter: QuotaWaiter;
}

export const fullQuota: InstanceQuota = {
  ceiling: ({ limit, bucket }) => limit.amount - otherInstancesAmount(limit, bucket),
  need: () => {},
  forget: () => {},
};

/**
 * The limit under which the least is left beside what is settled; of several, the first. It is reported in
 * API errors.
 */
export function tightestLimit(appliedLimits: readonly AppliedLimit[]): AppliedLimit | undefined {
  let tightest = appliedLimits[0];
  for (const limit of appliedLimits) {
    if (tightest && remainingAmount(limit) < remainingAmount(tightest)) tightest = limit;
  }
  return tightest;
}

const breadths: readonly SpendingLimit["period"][] = ["daily", "weekly", "monthly", "lifetime"];

/**
 * Picks the limit that an API error names: the broadest of the workspace budgets that are in the way, else the
 * tightest limit.
 */
export function reportedLimit(tightest: AppliedLimit, inTheWay: readonly AppliedLimit[]): AppliedLimit {
  if (tightest.limit.source !== "workspace_budget") return tightest;
  const breadth = ({ limit: { period } }: AppliedLimit) => breadths.indexOf(period);
  return inTheWay.filter(({ limit }) => limit.source === "workspace_budget")
    .reduce((broadest, limit) => breadth(limit) > breadth(broadest) ? limit : broadest, tightest);
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
