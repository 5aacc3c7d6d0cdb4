/** Tells processes that are gone from those that are only quiet, without trust in anybody's clock. */

import { RATE_WINDOW_MS } from "./usage_meters.ts";
import type { RateQuotaRow } from "./rate_quota_division.ts";

/**
 * Time for which a process's last record counts, in ms: it stops using its quota after 10 s without a confirmation,
 * and what it has used until then counts for another minute.
 */
export const INSTANCE_GONE_MS = 10_000 + RATE_WINDOW_MS + 5_000;
interface LastSeen {
  readonly beat: number;
  /** Monotonic ms at which it was seen first. */
  readonly since: number;
}

export class InstanceLiveness {
  #seen = new Map<string, LastSeen>();

  /** Whether it has seen anybody whom it may see again. */
  get isIdle(): boolean {
    return this.#seen.size === 0;
  }

  /** The holdings without those of processes that have been silent for too long. `now` is monotonic ms. */
  living(holders: RateQuotaRow["holders"], now: number): RateQuotaRow["holders"] {
    const before = this.#seen;
    this.#seen = new Map();
    return Object.fromEntries(
      Object.entries(holders).filter(([id, { beat }]) => {
        const known = before.get(id);
        const seen = known?.beat === beat ? known : { beat, since: now };
        this.#seen.set(id, seen);
        return now - seen.since < INSTANCE_GONE_MS;
      }),
    );
  }
}
