/** A workspace's budgets as limits over each of its keys (promises M1). */

import { usdFromNumber } from "../../../shared/money.ts";
import { budgetIntervals } from "../../../shared/workspaces.ts";
import type { Store } from "../../stores/store.ts";
import { budgetRows } from "./budget_rows.ts";
import { COUNTED_USD } from "../keys/key_rows.ts";
import { type LimitSource, nameOfLimit, scopeOfWorkspace } from "./limit_resolver.ts";
import { refuseForStore } from "../core/store_errors.ts";
import { workspaceRows } from "../workspaces/workspace_rows.ts";

/** The broadest first: of several that are reached, that one is told of. */
const broadestFirst = budgetIntervals.toReversed();

export function budgetLimits(store: Store): LimitSource {
  const budgets = budgetRows(store);
  const workspaces = workspaceRows(store);
  return {
    limitsOf: async ({ workspace_id: id }) => {
      const [found, workspace] = await Promise.all([budgets.get(id), workspaces.get(id)]).catch(
        refuseForStore,
      );
      if (found === undefined) return [];
      const includeByok = workspace?.record.include_byok_in_budgets ?? false;
      return broadestFirst.flatMap((period) => {
        const budget = found.record[period];
        if (budget === undefined) return [];
        return [{
          source: "workspace_budget" as const,
          name: nameOfLimit("The workspace", period),
          scope: scopeOfWorkspace(id),
          period,
          amount: usdFromNumber(Math.min(budget.limit_usd, COUNTED_USD)),
          includeByok,
        }];
      });
    },
  };
}
