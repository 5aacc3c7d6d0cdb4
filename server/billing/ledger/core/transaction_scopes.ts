/** The scopes under which one request is counted: those of its opening, and those of limits that are set meanwhile. */

import type { BucketNames } from "./counters/bucket_names.ts";
import {
  addReserved,
  addSettled,
  type AppliedLimit,
  type SpendAmounts,
  type SpendBuckets,
  type SpendCounter,
} from "./counters/spend_counter.ts";
import type { BillingContext, SpendingLimit } from "./ledger.ts";
import type { CounterCache } from "./counters/counter_cache.ts";

interface TransactionScopesOptions {
  readonly scopes: CounterCache;
  readonly buckets: BucketNames;
  /** The moment that names the buckets, ms since the epoch. */
  readonly at: number;
}

/** Sums that the request has settled and reserved so far. */
interface CountedSoFar {
  readonly settled: SpendAmounts;
  readonly reserved: SpendAmounts;
}

const NOTHING: SpendAmounts = { cost: 0, byok: 0 };

export class TransactionScopes {
  readonly names: string[] = [];
  readonly counters: SpendCounter[] = [];
  /** The request's buckets, a set for each counter. */
  readonly sets: SpendBuckets[] = [];
  readonly #options: TransactionScopesOptions;
  /** Under whose scopes it is counted. */
  billing: BillingContext | undefined;

  constructor(options: TransactionScopesOptions, billing: BillingContext) {
    this.#options = options;
    this.include(billing, { settled: NOTHING, reserved: NOTHING });
  }

  /**
   * Counts the request under every scope of a billing context. One that is new takes over what was counted before.
   */
  include(billing: BillingContext, { settled, reserved }: CountedSoFar): void {
    this.billing = billing;
    for (const scope of billing.scopes) this.#add(scope, { settled, reserved });
    for (const { scope } of billing.limits) this.#add(scope, { settled, reserved });
  }

  appliedLimitsOf(limits: readonly SpendingLimit[]): readonly AppliedLimit[] {
    const { scopes, buckets, at } = this.#options;
    return limits.map((limit) => {
      const counter = scopes.get(limit.scope);
      return { limit, counter, bucket: counter.at(buckets)[limit.period], at };
    });
  }

  #add(scope: string, { settled, reserved }: CountedSoFar): void {
    if (this.names.includes(scope)) return;
    const { scopes, buckets } = this.#options;
    const counter = scopes.get(scope);
    const set = counter.at(buckets);
    this.names.push(scope);
    this.counters.push(counter);
    this.sets.push(set);
    counter.openTransactions++;
    scopes.load(counter);
    if (settled !== NOTHING) {
      addSettled(set, settled);
      addReserved(set, reserved);
    }
  }
}
