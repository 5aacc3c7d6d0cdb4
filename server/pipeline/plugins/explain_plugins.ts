/** Says for `POST /v1/route/explain` what each plugin of a request would do. */

import { ApiError } from "../../../shared/errors.ts";
import { addUsd, type NanoUsd, ZERO } from "../../../shared/money.ts";
import type { PluginExplanation } from "../../../shared/responses/plugins.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { RouteCandidate } from "../routing/selection/endpoint_order.ts";
import type { Exclusion } from "../routing/selection/exclusion.ts";
import {
  type PlanInput,
  type PlannedPlugin,
  planPlugins,
  type PlanPluginsDeps,
  pluginError,
  requestWithPlugins,
} from "./plan_plugins.ts";

interface ExplainedRequest extends PlanInput {
  /** Rules of the caller. */
  readonly rules?: CallerRules;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  /** Endpoints that may serve the request, the first to be called in front; empty where there is none. */
  readonly candidates: readonly RouteCandidate[];
}

interface PluginsChoice {
  /** Candidates that are not asked. */
  readonly passedOver: readonly Exclusion[];
  /** The error that the request gets. */
  readonly refusal?: ApiError;
}

/** Which of the candidates the plugins of a request leave, as its call would. */
export function choiceOfPlugins(deps: PlanPluginsDeps, input: ExplainedRequest): PluginsChoice {
  const plan = planPlugins(deps, input);
  const request = requestWithPlugins(input.request, plan);
  const passedOver: Exclusion[] = [];
  let left = input.candidates;
  const passOver = ({ use }: PlannedPlugin, { kept, detail }: Kept) => {
    const field = use.path ?? "plugins";
    const gone = left.filter((candidate) => !kept.includes(candidate));
    passedOver.push(
      ...gone.map(({ profile: { endpoint } }) => ({ endpoint, reason: "plugin" as const, field, detail })),
    );
    left = kept;
  };
  for (const one of plan.planned) {
    const refusal = pluginError(one);
    if (refusal === undefined) continue;
    passOver(one, { kept: [], detail: refusal.message });
    return { passedOver, refusal };
  }
  for (const one of plan.planned) {
    const { use, definition, fault } = one;
    if (fault !== undefined || left.length === 0) continue;
    try {
      const kept = definition?.choose?.(use, { ...input, request, deps, candidates: left }) ?? left;
      passOver(one, { kept, detail: `The plugin ${use.options.id} cannot act there as the request wants.` });
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) throw refusal;
      passOver(one, { kept: [], detail: refusal.message });
      return { passedOver, refusal };
    }
  }
  return { passedOver };
}

export interface PurchasesOfPlugins {
  readonly needed: NanoUsd;
  /** Left out where the caller's limits do not allow it. */
  readonly optional: NanoUsd;
}

/** The most that the plugins of a request buy before the model is called. */
export async function purchasesOfPlugins(
  deps: PlanPluginsDeps,
  input: ExplainedRequest,
): Promise<PurchasesOfPlugins> {
  const plan = planPlugins(deps, input);
  const request = requestWithPlugins(input.request, plan);
  let [needed, optional] = [ZERO, ZERO];
  for (const { use, definition, fault } of plan.planned) {
    if (fault !== undefined) continue;
    const bought = await definition?.purchases?.(use, { ...input, request, deps });
    if (bought?.isOptional === true) optional = addUsd(optional, bought.cost);
    else if (bought !== undefined) needed = addUsd(needed, bought.cost);
  }
  return { needed, optional };
}

interface Kept {
  readonly kept: readonly RouteCandidate[];
  /** Why the others are not. */
  readonly detail: string;
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
