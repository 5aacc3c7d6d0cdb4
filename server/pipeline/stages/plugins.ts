/** Plugins: may change the request on its way down and the answer on its way up, each once a request (docs/plugins.md). */

import type { CallerRules } from "../caller_rules.ts";
import {
  planPlugins,
  type PlanPluginsDeps,
  pluginError,
  type PluginPlan,
  requestWithPlugins,
} from "../plugins/plan_plugins.ts";
import { pluginNote } from "../plugins/plugin_note.ts";
import {
  type Caller,
  composeStages,
  type Handler,
  type ModelResponse,
  type RequestContext,
  type Stage,
} from "../request_context.ts";

export interface PluginsDeps extends PlanPluginsDeps {
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

/** Requests without plugins go straight through. */
export function plugins(deps: PluginsDeps): Stage {
  return (next) => (context) => {
    const rules = deps.rulesOf?.(context.caller);
    return rules instanceof Promise
      ? rules.then((known) => planned(deps, { next, context, rules: known }))
      : planned(deps, { next, context, rules });
  };
}

interface Requested {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

function planned(deps: PluginsDeps, { next, context, rules }: Requested): Promise<ModelResponse> {
  const plan = planPlugins(deps, { request: context.request, defaults: rules?.defaults });
  return plan.planned.length === 0 && plan.off.length === 0 && plan.notes.length === 0
    ? next(context)
    : runPlugins(deps, { next, context, plan });
}

interface PlannedRequest {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly plan: PluginPlan;
}

/** The stages behind read the settings of the plugins that are on. */
async function runPlugins(
  deps: PluginsDeps,
  { next, context, plan }: PlannedRequest,
): Promise<ModelResponse> {
  const { planned, notes } = plan;
  const { record, call, request } = context;
  call.dropped.push(...notes);
  for (const one of planned) {
    const { use: { options: { id }, origin }, definition, fault } = one;
    if (definition === null) {
      call.dropped.push(origin === "online" ? `plugin ${id} (:online)` : `plugin ${id}`);
    }
    const error = pluginError(one);
    if (error !== undefined) throw error;
    if (fault !== undefined) record.addNote(pluginNote(id, fault.message));
  }
  const able = planned.filter(({ fault }) => fault === undefined);
  const stages = able.flatMap(({ use, definition }) => definition?.stage?.(use, deps) ?? []);
  const uses = able.map(({ use }) => use);
  return await composeStages(stages, next)({
    ...context,
    request: requestWithPlugins(request, plan),
    plugins: uses,
  });
}
