/**
 * Sums what went over limits since the first receipt, from the sums that are written with every receipt. Days that
 * are long over are read once; the last two and the running one each time, because a request counts where it began.
 */

import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import { queryUsage } from "../../billing/ledger/usage/usage_query.ts";
import type { Store } from "../../storage/stores/store.ts";

const DAY_MS = 86_400_000;
const OPEN_DAYS = 2;

interface OverrunSum {
  /** Nano-USD. */
  readonly overrun: number;
  readonly receipts: number;
  /** Start of the first day with a receipt, ms since the epoch; Infinity without any. */
  readonly first: number;
}

const nothing: OverrunSum = { overrun: 0, receipts: 0, first: Infinity };

const add = (a: OverrunSum, b: OverrunSum): OverrunSum => ({
  overrun: a.overrun + b.overrun,
  receipts: a.receipts + b.receipts,
  first: Math.min(a.first, b.first),
});

/** Sum of all days before a moment. */
interface PastSum {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly sum: OverrunSum;
}

export class OverrunTotal {
  readonly #store: Store;
  #past: PastSum = { until: 0, sum: nothing };

  constructor(store: Store) {
    this.#store = store;
  }

  /** `now`: milliseconds since the epoch. */
  async read(now: number) {
    const until = Math.max(0, Math.floor(now / DAY_MS) - OPEN_DAYS) * DAY_MS;
    const past = await this.#pastUntil(until);
    const { overrun, receipts, first } = add(past.sum, await this.#sum(past.until, now + DAY_MS));
    const since = first === Infinity ? null : new Date(first).toISOString().slice(0, 10);
    return { usd: toUsdNumber(toNanoUsd(overrun)), receipts, since };
  }

  /**
   * Reads the sum of the days before `until`, from the sum that is known and the days since; several may ask at the
   * same time.
   */
  async #pastUntil(until: number): Promise<PastSum> {
    const known = this.#past;
    if (until <= known.until) return known;
    const past = { until, sum: add(known.sum, await this.#sum(known.until, until)) };
    if (until > this.#past.until) this.#past = past;
    return past;
  }

  async #sum(from: number, to: number): Promise<OverrunSum> {
    const bucket = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
    const { groups } = await queryUsage(this.#store, { from, to, grain: "day", bucket, maxRows: Infinity });
    return groups.map(({ bucket: first, totals }): OverrunSum => ({
      overrun: totals.overrun,
      receipts: totals.requests,
      first: totals.requests > 0 ? first : Infinity,
    })).reduce(add, nothing);
  }
}
