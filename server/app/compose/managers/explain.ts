/** Puts together who explains routes: for a key, and for a workspace as for a key of it that has nothing of its own. */

import type { RouteExplainDeps } from "../../../api/inference/explain_route.ts";
import type { LimitResolver } from "../../../management/budgets/limit_resolver.ts";
import { throwStoreUnavailable } from "../../../management/core/store_errors.ts";
import type { CallerRulesResolver } from "../../../management/guardrails/caller_rules_resolver.ts";
import { anyKeyOf } from "../../../management/keys/key_rows.ts";
import { findWorkspace } from "../../../management/workspaces/workspace_lookup.ts";
import { createExplainer } from "../../../pipeline/stages/route/explain_response.ts";
import type { CompositionParts } from "../../composition_parts.ts";

type Explaining = Parameters<typeof createExplainer>[0] & {
  readonly rulesOfKey: CallerRulesResolver["resolveKey"];
  readonly billingOfKey: LimitResolver["resolveKey"];
};

export function createExplainers(
  { store }: Pick<CompositionParts, "store">,
  deps: Explaining,
): Pick<RouteExplainDeps, "explain" | "explainForWorkspace"> {
  const explainForWorkspace = createExplainer({
    ...deps,
    rulesOf: ({ workspaceId }) => deps.rulesOfKey(anyKeyOf(workspaceId)),
    billingOf: ({ workspaceId }) => deps.billingOfKey(anyKeyOf(workspaceId)),
  });
  return {
    explain: createExplainer(deps),
    explainForWorkspace: async (workspaceId, input) => {
      await findWorkspace(store, workspaceId).catch(throwStoreUnavailable);
      const caller = { kind: "api", keyHash: anyKeyOf(workspaceId).hash, workspaceId } as const;
      return await explainForWorkspace({ ...input, caller });
    },
  };
}
