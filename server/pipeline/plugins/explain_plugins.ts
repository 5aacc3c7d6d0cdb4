/** Says for `POST /v1/route/explain` what each plugin of a request would do. */

import type { PluginExplanation } from "../../../shared/responses/plugins.ts";
import type { RouteCandidate } from "../routing/selection/endpoint_order.ts";
import {
  type PlanInput,
  type PlannedPlugin,
  planPlugins,
  type PlanPluginsDeps,
  pluginError,
  requestWithPlugins,
} from "./plan_plugins.ts";

interface ExplainedRequest extends PlanInput {
  /** Endpoints that may serve the request, the first to be called in front; empty where there is none. */
  readonly candidates: readonly RouteCandidate[];
}

export function explainPlugins(
  deps: PlanPluginsDeps,
  input: ExplainedRequest,
): Promise<readonly PluginExplanation[]> {
  const plan = planPlugins(deps, input);
  const request = requestWithPlugins(input.request, plan);
  return Promise.all(
    plan.planned.map(async (one) => ({
      id: one.use.options.id,
      would: await wouldDo(one, { ...input, request, deps }),
    })),
  );
}

function wouldDo(
  one: PlannedPlugin,
  input: ExplainedRequest & { readonly deps: PlanPluginsDeps },
): string | Promise<string> {
  const { use, definition, fault } = one;
  if (definition === null) return "do nothing: this gateway does not run it";
  const error = pluginError(one);
  if (error !== undefined) return `refuse the request (${error.status}): ${error.message}`;
  return fault === undefined ? definition.explain(use, input) : `do nothing: it ${fault.message}`;
}
