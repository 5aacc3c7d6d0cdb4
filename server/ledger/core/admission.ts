/** What keeps a ledger from admitting a request, before anything is set aside for it. */

import type { Clock } from "../../runtime.ts";
import { type Bound, settledOf, standingOf, tightestOf, toldOf } from "./applied_limit.ts";
import { bucketsAt } from "./bucket_names.ts";
import type { LoopState } from "../journal/group_commit.ts";
import type { Limit } from "./ledger.ts";
import { limitReached, unavailable } from "./ledger_errors.ts";
import type { Scopes } from "./counter_cache.ts";

export interface Standing {
  readonly state: LoopState;
  /** Whether this instance holds its lease; undefined where it needs none. */
  readonly held: boolean | undefined;
  /** Why nothing is written to the store any more, whose log line says more of it. */
  readonly lost: string | undefined;
}

/** Throws a Refusal 503. */
export function assertAdmitting({ state, held, lost }: Standing): void {
  if (lost !== undefined) throw unavailable("the store's files are gone or are others");
  if (held === false) throw unavailable("the lease of this instance is over");
  switch (state) {
    case "running":
      return;
    case "failing":
      throw unavailable("the store cannot be written at the moment");
    case "fenced":
    case "stopped":
      throw unavailable("this instance may not write any more");
    default:
      return state satisfies never;
  }
}

export interface Payable {
  readonly scopes: Scopes;
  readonly clock: Clock;
}

/** Throws a Refusal for a limit that is reached by what is settled. The counters know their rows. */
export function assertPayable(limits: readonly Limit[], { scopes, clock }: Payable): void {
  if (limits.length === 0) return;
  const at = clock.now();
  const buckets = bucketsAt(at);
  const reached: Bound[] = [];
  for (const limit of limits) {
    const counter = scopes.get(limit.scope);
    const cell = counter.at(buckets)[limit.period];
    if (settledOf(limit, cell) >= limit.amount) reached.push({ limit, counter, cell, at });
  }
  const tightest = tightestOf(reached);
  if (tightest !== undefined) throw limitReached(standingOf(toldOf(tightest, reached)));
}
