/** Shows what refuses requests by its limit, will soon, or is about to expire, and destinations that fail. */

import type { attentionApi } from "../../../shared/management/attention.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { failingDestinations } from "../destinations/failing_destinations.ts";
import { LimitStandings } from "./limit_standings.ts";

const FIRST = 5;

export function attentionOperations(deps: ManagementDeps): OperationHandlers<typeof attentionApi> {
  const standings = new LimitStandings(deps);
  return {
    "attention.get": async ({ query: { workspace_id = "all" } }) => {
      const { at, keys, budgets } = await standings.read();
      const of = workspace_id;
      const group = <Item extends { readonly workspace_id: string }>(items: readonly Item[]) => {
        const own = of === "all" ? items : items.filter((item) => item.workspace_id === of);
        return { count: own.length, first: own.slice(0, FIRST) };
      };
      return {
        data: {
          as_of: new Date(at).toISOString(),
          keys: {
            reached: group(keys.reached),
            nearly: group(keys.nearly),
            expiring: group(keys.expiring),
          },
          budgets: { reached: group(budgets.reached), nearly: group(budgets.nearly) },
          destinations: { failing: group(await failingDestinations(deps, deps.runtime.clock.now())) },
        },
      };
    },
    "attention.workspaces": async () => {
      const { at, workspaces } = await standings.read();
      return { data: [...workspaces], as_of: new Date(at).toISOString() };
    },
  };
}
