/** Checks a request's limits before anything is reserved for it. */

import type { Clock } from "../../../runtime.ts";
import { limitStanding, reportedLimit, settledAmount, tightestLimit } from "./applied_limit.ts";
import { bucketNamesAt } from "./counters/bucket_names.ts";
import type { CommitState } from "../journal/commit_state.ts";
import type { SpendingLimit } from "./ledger.ts";
import { ledgerUnavailable, limitReachedError } from "./ledger_errors.ts";
import type { CounterCache } from "./counters/counter_cache.ts";
import type { AppliedLimit } from "./counters/spend_counter.ts";

interface LedgerState {
  readonly state: CommitState;
  /** Whether this instance holds its lease; undefined where it needs none. */
  readonly held: boolean | undefined;
  /** Why nothing is written to the store any more, whose log line says more of it. */
  readonly lost: string | undefined;
}

/** Throws an ApiError 503. */
export function assertLedgerAdmits({ state, held, lost }: LedgerState): void {
  if (lost !== undefined) throw ledgerUnavailable("the store's files are gone or are others");
  if (held === false) throw ledgerUnavailable("the lease of this instance is over");
  switch (state) {
    case "running":
      return;
    case "failing":
      throw ledgerUnavailable("the store cannot be written at the moment");
    case "fenced":
    case "stopped":
      throw ledgerUnavailable("this instance may not write any more");
    default:
      return state satisfies never;
  }
}

interface PayableInput {
  readonly scopes: CounterCache;
  readonly clock: Clock;
}

/** Throws an ApiError for a limit that is reached by what is settled. The counters know their rows. */
export function assertPayable(limits: readonly SpendingLimit[], { scopes, clock }: PayableInput): void {
  if (limits.length === 0) return;
  const at = clock.now();
  const buckets = bucketNamesAt(at);
  const reached: AppliedLimit[] = [];
  for (const limit of limits) {
    const counter = scopes.get(limit.scope);
    const bucket = counter.at(buckets)[limit.period];
    if (settledAmount(limit, bucket) >= limit.amount) reached.push({ limit, counter, bucket, at });
  }
  const tightest = tightestLimit(reached);
  if (tightest !== undefined) throw limitReachedError(limitStanding(reportedLimit(tightest, reached)));
}
