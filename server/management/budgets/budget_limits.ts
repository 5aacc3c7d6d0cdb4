/** A workspace's budgets as limits over each of its keys (promises M1). */

import { usdFromNumber } from "../../../shared/money.ts";
import { budgetIntervals } from "../../../shared/budget_intervals.ts";
import type { Store } from "../../storage/stores/store.ts";
import { budgetCollection } from "./budget_rows.ts";
import { MAX_COUNTED_USD } from "../keys/key_rows.ts";
import { limitName, type LimitSource, workspaceScope } from "./limit_resolver.ts";
import { throwStoreUnavailable } from "../core/store_errors.ts";
import { workspaceCollection } from "../workspaces/workspace_rows.ts";

/** The broadest first: of several that are reached, that one is told of. */
const broadestFirst = budgetIntervals.toReversed();

export function budgetLimitSource(store: Store): LimitSource {
  const budgets = budgetCollection(store);
  const workspaces = workspaceCollection(store);
  return {
    limitsOf: async ({ workspace_id: id }) => {
      const [found, workspace] = await Promise.all([budgets.get(id), workspaces.get(id)]).catch(
        throwStoreUnavailable,
      );
      if (found === undefined) return [];
      const includeByok = workspace?.record.include_byok_in_budgets ?? false;
      return broadestFirst.flatMap((period) => {
        const budget = found.record[period];
        if (budget === undefined) return [];
        return [{
          source: "workspace_budget" as const,
          name: limitName("The workspace", period),
          scope: workspaceScope(id),
          period,
          amount: usdFromNumber(Math.min(budget.limit_usd, MAX_COUNTED_USD)),
          includeByok,
        }];
      });
    },
  };
}
