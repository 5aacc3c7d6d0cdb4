/** Quotas of one instance: what it knows of its quota of one bucket, and who needs how much of it here. */

import { bucketNamesAt } from "../core/counters/bucket_names.ts";
import { type QuotaNeed, usedAmount } from "../core/applied_limit.ts";
import type { AppliedLimit, QuotaWaiter } from "../core/counters/spend_counter.ts";
import type { Clock } from "../../../runtime.ts";
import type { LimitBucket, StoredQuota } from "./quota_store.ts";
import { WakeablePause } from "./wakeable_pause.ts";

/** The quota of this instance in one bucket, as far as it knows. */
export interface HeldQuota extends LimitBucket {
  readonly name: string;
  bound: AppliedLimit;
  grant: number;
  /** Amount that the row grants to this instance; infinite when that is not known. */
  granted: number;
  /** The amount and the kind of spend that the grant was computed for. */
  limit: number;
  includeByok: boolean;
  /** How much more those need who wait here, in the order in which they are served. */
  readonly needs: Map<QuotaWaiter, TimedNeed>;
  /** Until then an instance that comes before this one is left to take what was given back, by the monotonic clock. */
  yieldedUntil: number;
  /** When the others were asked for more, by the monotonic clock. */
  requested: number | undefined;
  readonly pause: WakeablePause;
}

interface TimedNeed {
  readonly bound: AppliedLimit;
  readonly amount: number;
  /** When it was told first, by the monotonic clock. */
  readonly since: number;
}

/** All that a quota is computed from. */
export interface QuotaObservation extends StoredQuota {
  readonly live: ReadonlySet<string>;
  readonly spent: ReadonlyMap<string, number>;
}

/**
 * How long a need keeps what is there for it: half of what a reservation waits by default. Somebody who still lacks
 * another quota by then leaves this one to others, who have not waited for longer.
 */
const KEEP_MS = 2_500;
/** How long what was given back although it is needed here is left to the instance that it was given back for. */
const YIELD_MS = 1_000;

export const quotaName = ({ scope, bucket }: LimitBucket) => `${scope}/${bucket}`;

export function heldQuotaOf(bound: AppliedLimit, clock: Clock): HeldQuota {
  const { scope } = bound.counter;
  const bucket = bucketNamesAt(bound.at)[bound.limit.period];
  return {
    scope,
    bucket,
    name: quotaName({ scope, bucket }),
    bound,
    grant: 0,
    granted: Infinity,
    limit: NaN,
    includeByok: false,
    needs: new Map(),
    yieldedUntil: 0,
    requested: undefined,
    pause: new WakeablePause(clock),
  };
}

/** The reservations that wait, by the quotas that they need. */
export class QuotaNeeds {
  readonly #quotas = new WeakMap<QuotaWaiter, Set<HeldQuota>>();

  /** `now` by the monotonic clock. */
  add(quota: HeldQuota, { bound, amount, waiter, now }: AddedNeed): void {
    quota.needs.set(waiter, { bound, amount, since: quota.needs.get(waiter)?.since ?? now });
    this.#quotas.set(waiter, (this.#quotas.get(waiter) ?? new Set()).add(quota));
  }

  forget(waiter: QuotaWaiter): void {
    for (const { needs } of this.#quotas.get(waiter) ?? []) needs.delete(waiter);
    this.#quotas.delete(waiter);
  }
}

interface AddedNeed extends QuotaNeed {
  readonly bound: AppliedLimit;
  readonly now: number;
}

/** The first need that the grant is too small for. */
export function firstShortage(quota: HeldQuota): (QuotaNeed & Pick<TimedNeed, "bound">) | undefined {
  for (const [waiter, { bound, amount }] of quota.needs) {
    const free = fitsLimit(quota, bound) ? quota.grant - usedAmount(bound) : -1;
    if (amount > free) return { waiter, bound, amount };
  }
  return undefined;
}

/** Wakes everybody, the one that was served last: what was taken ahead may do for the others. */
export function wakeNeeds({ needs }: HeldQuota, served: QuotaWaiter): void {
  const need = needs.get(served);
  if (need !== undefined) {
    needs.delete(served);
    needs.set(served, need);
  }
  for (const waiter of [...needs.keys()]) waiter.woken();
}

/**
 * How much of what is granted and not used is kept, when another instance asks for it, for those who need it here and
 * wait for another quota. Of instances that each have what the other needs, one goes first: were both to give theirs
 * back, or both to keep it, neither would ever have everything. The other one lets it take what it gives back.
 */
export function keepForNeeds(quota: HeldQuota, { goesFirst, now }: KeepInput): number {
  const needed = keptFor(quota, () => true);
  const kept = goesFirst ? keptFor(quota, ({ since }) => now - since < KEEP_MS) : 0;
  if (kept < needed) quota.yieldedUntil = now + YIELD_MS;
  return kept;
}

/** How much is kept for others who wait here, when one of them finds too little. */
export function keptForOthers(quota: HeldQuota, served: QuotaWaiter): number {
  return keptFor(quota, (_need, waiter) => waiter !== served);
}

interface KeepInput {
  /** Whether this instance goes before the one that asks. */
  readonly goesFirst: boolean;
  readonly now: number;
}

/** Sums the needs for which there is enough. */
function keptFor(
  { bound, grant, needs }: HeldQuota,
  counts: (need: TimedNeed, waiter: QuotaWaiter) => boolean,
): number {
  const free = grant - usedAmount(bound);
  let kept = 0;
  for (const [waiter, need] of needs) {
    if (kept + need.amount <= free && counts(need, waiter)) kept += need.amount;
  }
  return kept;
}

/** Whether the grant was computed for this limit. */
export function fitsLimit(quota: HeldQuota, { limit: { amount, includeByok } }: AppliedLimit): boolean {
  return quota.limit === amount && quota.includeByok === includeByok;
}
