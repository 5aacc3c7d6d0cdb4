/** One key or workspace under limits: what it has used, and how much of its limits this process may give out. */

import {
  eachRateLimit,
  type RateLimited,
  type RateLimitName,
  rateLimitNames,
  type RateLimits,
  type RateStanding,
} from "../../../shared/rate_limits.ts";
import {
  ConcurrencyCounter,
  type CountedSlot,
  SlidingWindowCounter,
  type UsageCounter,
} from "./usage_meters.ts";

/** A number for each limit. */
export type RateAmounts = { readonly [N in RateLimitName]: number };

/** A limit that a request does not fit into. `waitMs` undefined: it never will. */
export interface ExceededRateLimit {
  readonly standing: RateStanding;
  readonly requested: number;
  readonly waitMs: number | undefined;
}

interface Count {
  readonly meter: UsageCounter;
  /** Infinity: it was taken off, and what is in use is counted on in case it returns. */
  limit: number;
  /** Part of the limit that this process may use; the whole of it where no other process serves. */
  quota: number;
  /** False until the quota is known. */
  shared: boolean;
  /** Amount that was requested since the last look, granted or not. */
  requested: number;
}

/** With a quota, one request may pass when nothing is in use, so that a small limit is of use to every process. */
const fits = (
  { limit, quota }: Count,
  { used, requested }: { readonly used: number; readonly requested: number },
) => used + requested <= Math.min(quota, limit) || (quota !== Infinity && used === 0 && requested <= limit);

export class RateLimitScope {
  readonly id: string;
  /** Requests that have not ended; a scope with none and nothing in use may be forgotten. */
  inFlight = 0;
  readonly #type: RateLimited["type"];
  readonly #startQuota: number;
  readonly #counts = new Map<RateLimitName, Count>();
  #limits: RateLimits | undefined;

  /** `startQuota` is what may be used of each limit before anything else is known. */
  constructor({ scope, type }: RateLimited, startQuota: number) {
    this.id = scope;
    this.#type = type;
    this.#startQuota = startQuota;
  }

  /** Counting goes on under changed limits; it begins with the first request that comes under one. */
  adopt(limits: RateLimits): void {
    if (this.#limits === limits) return;
    this.#limits = limits;
    for (const name of rateLimitNames) {
      const limit = limits[name] ?? Infinity;
      const known = this.#counts.get(name);
      if (known === undefined) {
        if (limit !== Infinity) this.#counts.set(name, this.#newCount(name, limit));
        continue;
      }
      if (known.limit === Infinity && limit !== Infinity) known.shared = this.#startQuota === Infinity;
      known.limit = limit;
    }
  }

  /** A limit is so new that nobody has said yet how much of it this process may use. */
  get lacksQuota(): boolean {
    return this.#set().some(([, { shared }]) => !shared);
  }

  /** The limits that are set. */
  #set(): [RateLimitName, Count][] {
    return [...this.#counts].filter(([, { limit }]) => limit !== Infinity);
  }

  #newCount(name: RateLimitName, limit: number): Count {
    const quota = this.#startQuota;
    return { meter: meterOf(name), limit, quota, shared: quota === Infinity, requested: 0 };
  }

  /**
   * Finds the limit that stands longest in the way of a request; undefined when it fits. Counts it as demand either
   * way.
   */
  obstacle(amounts: RateAmounts, now: number): ExceededRateLimit | undefined {
    let longest: ExceededRateLimit | undefined;
    for (const [name, count] of this.#set()) {
      const requested = amounts[name];
      if (requested === 0) continue;
      count.requested += requested;
      const used = count.meter.used(now);
      if (fits(count, { used, requested })) continue;
      const most = Math.min(count.quota, count.limit);
      const waitMs = requested > count.limit
        ? undefined
        : waitOf(count.meter, { used, requested, most, now });
      if (longest && (longest.waitMs ?? Infinity) >= (waitMs ?? Infinity)) continue;
      longest = { standing: this.#standing(name, { count, now }), requested, waitMs };
    }
    return longest;
  }

  /** Counts a request that fits. */
  take(amounts: RateAmounts, now: number): CountedRequest {
    this.inFlight++;
    const slots = new Map<RateLimitName, { readonly meter: UsageCounter; readonly slot: CountedSlot }>();
    for (const [name, { meter }] of this.#counts) {
      if (amounts[name] > 0) slots.set(name, { meter, slot: meter.add(amounts[name], now) });
    }
    return { scope: this, slots, tokens: amounts.tokens_per_minute };
  }

  standings(now: number): RateStanding[] {
    return this.#set().map(([name, count]) => this.#standing(name, { count, now }));
  }

  isIdle(now: number): boolean {
    return this.inFlight === 0 && [...this.#counts.values()].every(({ meter }) => meter.used(now) === 0);
  }

  /** The limits, what is used of them, and what was asked for since the last call; open streams ask on. */
  report(
    now: number,
  ): { readonly limits: RateAmounts; readonly used: RateAmounts; readonly requested: RateAmounts } {
    const set = new Map(this.#set());
    const limits = eachRateLimit((name) => set.get(name)?.limit ?? 0);
    const used = eachRateLimit((name) => this.#counts.get(name)?.meter.used(now) ?? 0);
    const open = (name: RateLimitName) => name === "concurrent_streams" ? used[name] : 0;
    const requested = eachRateLimit((name) => (this.#counts.get(name)?.requested ?? 0) + open(name));
    for (const count of this.#counts.values()) count.requested = 0;
    return { limits, used, requested };
  }

  /** Somebody asked since the last report. */
  get isWanted(): boolean {
    return this.inFlight > 0 || [...this.#counts.values()].some(({ requested }) => requested > 0);
  }

  /** Back to the beginning: the next request asks for a quota first. */
  giveUpQuota(): void {
    for (const count of this.#counts.values()) {
      count.quota = this.#startQuota;
      count.shared = false;
    }
  }

  /** From now on this process uses no more than this, where it was allowed more. */
  setLess(most: RateAmounts): void {
    for (const [name, count] of this.#counts) count.quota = Math.min(count.quota, most[name]);
  }

  /** From now on this process uses no more than this of each limit. */
  setQuotas(change: (name: RateLimitName, before: number) => number): void {
    for (const [name, count] of this.#counts) {
      count.quota = change(name, count.quota);
      count.shared = true;
    }
  }

  #standing(
    name: RateLimitName,
    { count, now }: { readonly count: Count; readonly now: number },
  ): RateStanding {
    const { meter, limit, quota } = count;
    const used = meter.used(now);
    return {
      scope: this.#type,
      name,
      limit,
      remaining: Math.max(0, Math.min(limit, quota) - used),
      resetMs: meter.freeIn(used, now),
    };
  }
}

/** A request that was counted. */
export interface CountedRequest {
  readonly scope: RateLimitScope;
  readonly slots: ReadonlyMap<RateLimitName, { readonly meter: UsageCounter; readonly slot: CountedSlot }>;
  /** As estimated. */
  readonly tokens: number;
}

/** A request has ended, with so many tokens: what was estimated too high comes back, the rest counts from now. */
export function releaseRequest({ scope, slots, tokens }: CountedRequest, end: {
  readonly tokens: number;
  readonly now: number;
}): void {
  scope.inFlight--;
  const open = slots.get("concurrent_streams");
  open?.meter.giveBack(open.slot, 1);
  const counted = slots.get("tokens_per_minute");
  if (end.tokens > tokens) counted?.meter.add(end.tokens - tokens, end.now);
  else counted?.meter.giveBack(counted.slot, tokens - end.tokens);
}

function meterOf(name: RateLimitName): UsageCounter {
  return name === "concurrent_streams" ? new ConcurrencyCounter() : new SlidingWindowCounter();
}

/** A quota that is too small may be larger with the next look, so the wait is not longer than it needs to be. */
function waitOf(meter: UsageCounter, { used, requested, most, now }: {
  readonly used: number;
  readonly requested: number;
  readonly most: number;
  readonly now: number;
}): number {
  return meter.freeIn(Math.min(used, used + requested - most), now);
}
