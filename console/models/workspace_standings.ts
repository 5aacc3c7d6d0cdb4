/** How workspaces stand: their active keys, and the budgets with what is spent of them. */

import type { WorkspaceStanding } from "../../shared/management/attention.ts";
import { type ConsoleApi, operation } from "../api.ts";
import { createResource } from "../resource.ts";

const readStandings = operation<"attention.workspaces">("GET", "/attention/workspaces");

/** By workspace id. */
export function workspaceStandings({ api }: { readonly api: Pick<ConsoleApi, "call"> }) {
  return createResource(async (signal) => {
    const { data } = await api.call(readStandings, { signal });
    return new Map(data.map((one) => [one.workspace_id, one]));
  });
}

type BudgetStanding = WorkspaceStanding["budgets"][number];

const shareOf = ({ spent, limit }: BudgetStanding) => limit <= 0 ? Infinity : spent / limit;

/** The budget of which the largest share is spent: it refuses first. */
export function tightestBudget(budgets: readonly BudgetStanding[]): BudgetStanding | undefined {
  return budgets.toSorted((a, b) => shareOf(b) - shareOf(a))[0];
}
