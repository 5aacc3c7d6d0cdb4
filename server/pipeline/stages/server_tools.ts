/**
 * Server tools: offers the model the tools that the gateway runs, runs what it calls, and goes round again
 * (docs/server-tools.md). Requests without such tools go straight through.
 */

import { isConversation } from "../../protocols/canonical/request.ts";
import type { ServerToolsDeps } from "./tool_loop/server_tools_deps.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { Handler, ModelResponse, RequestContext, Stage } from "../request_context.ts";
import { modelFinder } from "../routing/find_models.ts";
import { withFusion } from "../tools/fusion/fusion_options.ts";
import type { McpTurns } from "../tools/mcp/server_plan.ts";
import { planAllowedTools, planTools, type ToolPlan, whenToolsKnown } from "../tools/tool_plan.ts";
import { toolSession } from "./tool_loop/tool_calls.ts";
import { openServers } from "./tool_loop/open_servers.ts";
import { ToolLoop } from "./tool_loop/tool_loop.ts";

export function serverTools(deps: ServerToolsDeps): Stage {
  return (next) => (context) => {
    if (!isConversation(context.request)) return next(context);
    const rules = deps.rulesOf?.(context.caller);
    return rules instanceof Promise
      ? rules.then((known) => start(deps, { next, context, rules: known }))
      : start(deps, { next, context, rules });
  };
}

interface Requested {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

function start(deps: ServerToolsDeps, { next, context, rules }: Requested): Promise<ModelResponse> {
  const fused = withRuns(deps, { context, rules });
  return fused.request.tools.length === 0 ? next(fused) : runWithTools(deps, { next, context: fused, rules });
}

/** The request as it may start a run of fusion, or none. */
function withRuns(
  deps: ServerToolsDeps,
  { context, rules }: Pick<Requested, "context" | "rules">,
): RequestContext {
  const { request, note } = withFusion(deps, {
    request: context.request,
    rules,
    depth: context.runDepth,
  });
  if (note !== undefined) context.record.addNote(note);
  return request === context.request ? context : { ...context, request };
}

/** Throws an ApiError for the first tool that the request cannot use as it says. */
async function verifyTools(deps: ServerToolsDeps, { plan, context, rules }: VerifiedTools): Promise<void> {
  const session = toolSession(context);
  const { request, ids: { generation } } = context;
  const finder = modelFinder(deps, { generation, rules });
  for (const { definition, settings } of plan.byName.values()) {
    if (definition.runsHere?.(settings) === false) continue;
    await definition.verify?.({ settings, session, deps: deps.toolDeps, request, finder });
  }
}

interface VerifiedTools {
  readonly plan: ToolPlan;
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

async function runWithTools(deps: ServerToolsDeps, { next, context, rules }: Requested) {
  const limited = (context.billing?.limits.length ?? 0) > 0;
  const disabled = rules?.defaults?.disabledTools;
  await whenToolsKnown(context.request.tools, deps.toolDeps);
  const plan = planAllowedTools(context.request, { deps: deps.toolDeps, limited, disabled });
  const servers = await openServers(deps, { context, rules });
  if (servers === undefined) {
    return plan === undefined ? await next(context) : await runPlan(deps, { next, context, plan, rules });
  }
  try {
    const whole = planTools(servers.request, { deps: deps.toolDeps, limited, listed: servers.planned });
    if (whole === undefined) return await next(context);
    return await runPlan(deps, { next, context, plan: whole, rules, mcp: servers.turns });
  } catch (error) {
    context.record.holdReceipt(servers.turns.session.close());
    throw error;
  }
}

interface PlannedRun extends Pick<Requested, "next">, VerifiedTools {
  readonly mcp?: McpTurns;
}

async function runPlan(deps: ServerToolsDeps, { next, context, plan, rules, mcp }: PlannedRun) {
  const limited = (context.billing?.limits.length ?? 0) > 0;
  context.record.plannedTools = new Set([...plan.byName.values()].map(({ definition }) => definition.kind));
  await verifyTools(deps, { plan, context, rules });
  return await new ToolLoop({ deps, next, context, plan, limited, mcp }).start();
}
