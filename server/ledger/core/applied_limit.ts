/** A limit as it applies to one request: which cell it is compared with, what is left of it, and which one is reported. */

import type { Cell, Counter } from "./spend_counter.ts";
import type { Limit } from "./ledger.ts";
import type { Standing } from "./ledger_errors.ts";

/** A limit with what it is held against. */
export interface Bound {
  readonly limit: Limit;
  readonly counter: Counter;
  readonly cell: Cell;
  /** The moment that names the cell's bucket. */
  readonly at: number;
}

/** How much of a limit this instance may use. On the embedded store that is all of it. */
export interface Quota {
  /** The most that this instance may have settled and held in the bucket, in nano-USD. */
  ceiling(bound: Bound): number;
  /** Tells that `amount` more would fit the limit but not the ceiling; `woken` is called when that may have changed. */
  want(bound: Bound, wish: { readonly amount: number; readonly woken: () => void }): void;
}

export const wholeLimit: Quota = {
  ceiling: ({ limit, cell }) => limit.amount - others(limit, cell),
  want: () => {},
};

/** The limit under which the least is left beside what is settled; of several, the first. It is told in refusals. */
export function tightestOf(bounds: readonly Bound[]): Bound | undefined {
  let tightest = bounds[0];
  for (const bound of bounds) if (tightest && roomOf(bound) < roomOf(tightest)) tightest = bound;
  return tightest;
}

const breadths: readonly Limit["period"][] = ["daily", "weekly", "monthly", "lifetime"];

/** What a refusal names: of a workspace's budgets the broadest that is in the way, else the tightest limit. */
export function toldOf(tightest: Bound, inTheWay: readonly Bound[]): Bound {
  if (tightest.limit.source !== "workspace_budget") return tightest;
  const breadth = ({ limit: { period } }: Bound) => breadths.indexOf(period);
  return inTheWay.filter(({ limit }) => limit.source === "workspace_budget")
    .reduce((told, bound) => breadth(bound) > breadth(told) ? bound : told, tightest);
}

export function roomOf({ limit, cell }: Bound): number {
  return limit.amount - settledOf(limit, cell);
}

/** Settled by all instances. */
export function settledOf(limit: Limit, cell: Cell): number {
  return cell.cost + (limit.includeByok ? cell.byok : 0) + others(limit, cell);
}

function others({ includeByok }: Limit, cell: Cell): number {
  return cell.othersCost + (includeByok ? cell.othersByok : 0);
}

export function heldOf({ includeByok }: Limit, cell: Cell): number {
  return cell.heldCost + (includeByok ? cell.heldByok : 0);
}

/** Settled and held by this instance. */
export function usedOf({ limit, cell }: Bound): number {
  return cell.cost + (limit.includeByok ? cell.byok : 0) + heldOf(limit, cell);
}

export function standingOf({ limit, cell, at }: Bound): Standing {
  return { limit, spent: settledOf(limit, cell), held: heldOf(limit, cell), at };
}
