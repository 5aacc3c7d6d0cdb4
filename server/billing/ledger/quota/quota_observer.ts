/** Reads what the quota of one bucket is computed from. */

import type { CounterCache } from "../core/counters/counter_cache.ts";
import type { HeldQuota, QuotaObservation } from "./held_quota.ts";
import { spentByInstance } from "./quota_division.ts";
import type { QuotaStore } from "./quota_store.ts";

interface QuotaObserverOptions {
  readonly rows: QuotaStore;
  readonly scopes: CounterCache;
  /** Instances that are alive, or whose open requests nobody has closed yet; read after the call. */
  readonly live: () => Promise<ReadonlySet<string>>;
}

export class QuotaObserver {
  readonly #options: QuotaObserverOptions;
  #live: ReadonlySet<string> = new Set();

  constructor(options: QuotaObserverOptions) {
    this.#options = options;
  }

  /**
   * Reads what is granted and spent. Rows of spend are read after it is known who is alive: of anyone who is not,
   * they say the last word then. They need not be read again as long as no grant of one that is gone was dropped.
   */
  async look(
    { scope, bucket, bound }: HeldQuota,
    before: QuotaObservation | undefined,
  ): Promise<QuotaObservation> {
    const { counter, limit: { includeByok } } = bound;
    const known = this.#live.size === 0 ? this.#lookForLive() : this.#live;
    // What another bucket's look finds or forgets meanwhile does not count here.
    const [found, seen] = await Promise.all([this.#options.rows.read({ scope, bucket }), known]);
    // An instance that has a grant has said before that it lives.
    const strange = Object.keys(found.row.grants).some((one) => !seen.has(one));
    const live = strange ? await this.#lookForLive() : seen;
    if (before?.live === live && before.row.gone === found.row.gone) return { ...before, ...found };
    const rows = await this.#options.scopes.rowsOf(counter);
    return { ...found, live, spent: spentByInstance(rows, { bucket, includeByok }) };
  }

  /** Forgets which instances were alive: one may be gone by the next look. */
  forgetLive(): void {
    this.#live = new Set();
  }

  async #lookForLive(): Promise<ReadonlySet<string>> {
    const live = await this.#options.live();
    this.#live = live;
    return live;
  }
}
