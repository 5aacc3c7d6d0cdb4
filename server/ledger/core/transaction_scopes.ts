/** The scopes under which one request is counted: those of its opening, and those of limits that are set meanwhile. */

import type { Bound } from "./applied_limit.ts";
import type { Buckets } from "./bucket_names.ts";
import { type Amounts, type CellSet, type Counter, hold, spend } from "./spend_counter.ts";
import type { Limit, Payer } from "./ledger.ts";
import type { Scopes } from "./counter_cache.ts";

export interface TransactionScopesOptions {
  readonly scopes: Scopes;
  readonly buckets: Buckets;
  /** The moment that names the buckets, ms since the epoch. */
  readonly at: number;
}

/** What the request has settled and reserved so far. */
export interface CountedSoFar {
  readonly settled: Amounts;
  readonly reserved: Amounts;
}

const NOTHING: Amounts = { cost: 0, byok: 0 };

export class TransactionScopes {
  readonly names: string[] = [];
  readonly counters: Counter[] = [];
  /** The cells of the request's buckets, a set for each counter. */
  readonly sets: CellSet[] = [];
  readonly #options: TransactionScopesOptions;
  /** Under whose scopes it is counted. */
  payer: Payer | undefined;

  constructor(options: TransactionScopesOptions, payer: Payer) {
    this.#options = options;
    this.include(payer, { settled: NOTHING, reserved: NOTHING });
  }

  /** Counts the request under every scope of a payer. One that is new takes over what was counted before. */
  include(payer: Payer, { settled, reserved }: CountedSoFar): void {
    this.payer = payer;
    for (const scope of payer.scopes) this.#add(scope, { settled, reserved });
    for (const { scope } of payer.limits) this.#add(scope, { settled, reserved });
  }

  boundsOf(limits: readonly Limit[]): readonly Bound[] {
    const { scopes, buckets, at } = this.#options;
    return limits.map((limit) => {
      const counter = scopes.get(limit.scope);
      return { limit, counter, cell: counter.at(buckets)[limit.period], at };
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
    counter.users++;
    scopes.load(counter);
    if (settled !== NOTHING) {
      spend(set, settled);
      hold(set, reserved);
    }
  }
}
