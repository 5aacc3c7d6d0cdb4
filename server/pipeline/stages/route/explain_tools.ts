/** The server tools of a request, for POST /v1/route/explain: as its first turn has them, or why it is refused. */

import { ApiError } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CallerRules } from "../../caller_rules.ts";
import { modelFinder } from "../../routing/find_models.ts";
import type { RoutePlanDeps } from "../../routing/route_plan.ts";
import { modelsOf } from "../../tools/fusion/fusion.ts";
import { withFusion } from "../../tools/fusion/fusion_options.ts";
import type { ToolDeps } from "../../tools/tool_definition.ts";
import { planAllowedTools, type PlannedTool, planTools } from "../../tools/tool_plan.ts";
import { explainServers } from "./explain_servers.ts";

interface ExplainToolsDeps extends RoutePlanDeps {
  readonly toolDeps: ToolDeps;
}

interface ToolsInput {
  /** With the settings of its plugins. */
  readonly request: ModelRequest;
  readonly rules: CallerRules | undefined;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  readonly runDepth: number | undefined;
}

export interface ExplainedTools {
  readonly request: ModelRequest;
  /** The tool that starts a run of fusion. */
  readonly fusion?: PlannedTool;
  /** Tools that start runs of advisors and subagents. */
  readonly runs: readonly PlannedTool[];
  /** The MCP servers that the request names, and whether its providers call them. */
  readonly servers: readonly JsonObject[];
  readonly refusal?: ApiError;
}

/** Containers that the request names are not looked up. */
export async function explainTools(
  deps: ExplainToolsDeps,
  { request: asked, rules, limited, runDepth }: ToolsInput,
): Promise<ExplainedTools> {
  const { request } = withFusion(deps, { request: asked, rules, depth: runDepth });
  const { toolDeps } = deps;
  const disabled = rules?.defaults?.disabledTools;
  try {
    const named = planAllowedTools(request, { deps: toolDeps, limited, disabled });
    const found = await explainServers(deps, { request, rules });
    const { servers = [], listed } = found ?? {};
    const plan = listed === undefined
      ? named
      : planTools(listed.request, { deps: toolDeps, limited, listed: listed.planned });
    if (plan === undefined) return { request, runs: [], servers };
    const tools = [...plan.byName.values()];
    const fusion = tools.find(({ definition }) => definition.kind === "fusion");
    if (fusion !== undefined) {
      const finder = modelFinder(deps, { generation: "", rules });
      modelsOf({ settings: fusion.settings, deps: toolDeps, request, finder });
    }
    const runs = tools.filter(({ definition }) => definition.nestedRun !== undefined);
    return { request: plan.request, fusion, runs, servers };
  } catch (refusal) {
    if (refusal instanceof ApiError) return { request, refusal, runs: [], servers: [] };
    throw refusal;
  }
}
