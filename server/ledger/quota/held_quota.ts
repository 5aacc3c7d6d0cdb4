/** What one instance knows of its quota of one bucket. */

import type { LimitBucket, StoredQuota } from "./quota_store.ts";
import type { WakeablePause } from "./wakeable_pause.ts";
import type { AppliedLimit } from "../core/spend_counter.ts";

/** What this instance knows of its share of one bucket. */
export interface HeldQuota extends LimitBucket {
  readonly name: string;
  bound: AppliedLimit;
  grant: number;
  /** What the row says of this instance; infinite when that is not known. */
  granted: number;
  /** The amount and the kind of spend that the grant was computed for. */
  limit: number;
  includeByok: boolean;
  preference: { readonly amount: number; readonly woken: () => void } | undefined;
  /** When the others were told of the wish, by the monotonic clock. */
  requested: number | undefined;
  readonly pause: WakeablePause;
}

/** All that a share is computed from. */
export interface QuotaObservation extends StoredQuota {
  readonly live: ReadonlySet<string>;
  readonly spent: ReadonlyMap<string, number>;
}

/** Whether the grant was computed for this limit. */
export function fitsLimit(quota: HeldQuota, { limit: { amount, includeByok } }: AppliedLimit): boolean {
  return quota.limit === amount && quota.includeByok === includeByok;
}
