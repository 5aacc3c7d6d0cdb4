/** A request → the endpoints that may serve it, in order, and why the others may not. Calls nobody. */

import type { Caller } from "../../../shared/keys.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { canRead, type CompactionReader, isOrigin, reasoningOrigins } from "./encrypted_reasoning.ts";
import { type RequestRequirements, requirementsOf } from "./selection/request_requirements.ts";
import type { Exclusion } from "./selection/exclusion.ts";
import { chooseByContext } from "./selection/context_choice.ts";
import { findExclusion } from "./selection/endpoint_filters.ts";
import { type ModelNameDeps, type RequestedModel, resolveRequestedModels } from "./selection/model_names.ts";
import { type AllowedEndpoint, orderCandidates, type RouteCandidate } from "./selection/endpoint_order.ts";
import { withByokEndpoints } from "./selection/byok_endpoints.ts";
import { findPolicyExclusion } from "./selection/guardrail_filter.ts";
import type { EndpointStats } from "./health/endpoint_stats.ts";
import { type StickyKey, stickyKeyOf } from "./selection/sticky_key.ts";
import { weighEndpoints } from "./selection/weighted_rendezvous.ts";
import { parsePreferences, type RoutingPreferences } from "./selection/provider_preferences.ts";

export interface RoutePlanDeps extends ModelNameDeps {
  readonly stats: EndpointStats;
  /** Finds the rules of a caller; absent where no rules are ever set. For those who have planned for. */
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

export interface RoutePlan {
  readonly models: readonly RequestedModel[];
  readonly strategy: "direct" | "fallback" | "alias";
  readonly preferences: RoutingPreferences;
  readonly stickyKey: StickyKey;
  readonly requirements: RequestRequirements;
  /** First to be asked first. */
  readonly candidates: readonly RouteCandidate[];
  readonly excluded: readonly Exclusion[];
  /** A sentence for a caller whose first model has no endpoint. */
  readonly hint?: string;
}

/** Throws an ApiError (400) when no model is named and none is the default. */
export function planRoute(deps: RoutePlanDeps, { request, generation, rules }: RoutePlanInput): RoutePlan {
  const { models, strategy } = resolveRequestedModels(namesFor(deps, { request, rules }), request);
  const fallback = rules?.defaults?.sort;
  const requested = fallback === undefined
    ? models
    : models.map((model) => ({ ...model, sort: model.sort ?? fallback }));
  const preferences = parsePreferences(request.provider);
  const key = stickyKeyOf(request, generation);
  const { last, readers } = reasoningOrigins(request.input);
  const requirements = requirementsOf(request);
  const selected = selectEndpoints(requirements, { models: requested, preferences, readers, rules });
  const { allowed, excluded: small } = chooseByContext(selected.allowed, { request, demand: requirements });
  const excluded = small.length === 0 ? selected.excluded : [...selected.excluded, ...small];
  const isHome = ({ endpoint }: RouteCandidate["profile"]) => last !== undefined && isOrigin(endpoint, last);
  const candidates = orderCandidates(allowed, {
    preferences,
    stats: deps.stats,
    key: key.hash,
    isReasoningOrigin: isHome,
  });
  const plan: RoutePlan = {
    models: requested,
    strategy,
    preferences,
    stickyKey: key,
    requirements,
    candidates,
    excluded,
    hint: candidates.length + excluded.length > 0 ? undefined : deps.hintFor?.(requested[0]?.name ?? ""),
  };
  return preferences.fallbacks ? plan : withoutFallbacks(plan);
}

/**
 * Finds the models that a name, or none, stands for to a caller: some have keys for providers that the gateway has
 * none for, and a workspace may have default models.
 */
function namesFor(
  deps: ModelNameDeps,
  { request, rules }: Omit<RoutePlanInput, "generation">,
): ModelNameDeps {
  const { resolveByokModel, defaults } = rules ?? noRules;
  if (resolveByokModel === undefined && defaults === undefined) return deps;
  const forImages = request.modalities?.includes("image") === true ? defaults?.imageModel : undefined;
  return {
    ...deps,
    defaultModel: forImages ?? defaults?.textModel ?? deps.defaultModel,
    resolve: resolveByokModel === undefined
      ? deps.resolve
      : (model) => [...deps.resolve(model), ...resolveByokModel(model)],
  };
}

const noRules: CallerRules = { byokKeys: [] };

interface RoutePlanInput {
  readonly request: ModelRequest;
  /** The generation's id, by which a request that nothing ties to others is placed. */
  readonly generation: string;
  /** Rules of the caller; absent for most. */
  readonly rules?: CallerRules;
}

interface SelectionInput {
  readonly models: readonly RequestedModel[];
  readonly preferences: RoutingPreferences;
  /** Readers of the request's compactions. */
  readonly readers: readonly CompactionReader[];
  readonly rules: CallerRules | undefined;
}

interface SelectionResult {
  readonly allowed: readonly AllowedEndpoint[];
  readonly excluded: readonly Exclusion[];
}

/** An endpoint stands for the first name under which it may serve. */
function selectEndpoints(
  demand: RequestRequirements,
  { models, preferences, readers, rules }: SelectionInput,
): SelectionResult {
  const policy = rules?.policy;
  const allowed = new Map<string, AllowedEndpoint>();
  let excluded: Map<string, Exclusion> | undefined;
  for (const model of models) {
    const { endpoints, excluded: replaced } = withByokEndpoints(model.endpoints, rules?.byokKeys ?? none);
    for (const exclusion of replaced) (excluded ??= new Map()).set(exclusion.endpoint.id, exclusion);
    for (const { profile, weight } of weighEndpoints(endpoints)) {
      const { endpoint } = profile;
      if (allowed.has(endpoint.id)) continue;
      const exclusion = (rules?.builtInOnly && notBuiltIn(endpoint, model)) ||
        (policy && findPolicyExclusion(profile, policy)) ||
        findExclusion({ profile, models: model, preferences, demand }) ||
        (readers.every((reader) => canRead(endpoint, reader)) ? undefined : unreadable(endpoint));
      if (exclusion === undefined) {
        allowed.set(endpoint.id, { profile, model, weight });
        excluded?.delete(endpoint.id);
      } else (excluded ??= new Map()).set(endpoint.id, exclusion);
    }
  }
  return { allowed: [...allowed.values()], excluded: excluded === undefined ? none : [...excluded.values()] };
}

const none: readonly [] = [];

const unreadable = (endpoint: Endpoint): Exclusion => ({
  endpoint,
  reason: "compaction",
  field: "input",
  detail: "cannot read a compaction in input, which only the provider that made it can",
});

/** Undefined for an endpoint of the built-in provider. */
function notBuiltIn(endpoint: Endpoint, { field }: RequestedModel): Exclusion | undefined {
  if (endpoint.provider.builtIn) return undefined;
  const detail = "is not built in, and a key with self_test may use built-in models only (local/…, fault/…)";
  return { endpoint, reason: "self_test", field, detail };
}

/** One endpoint, one attempt: also while it rests. */
function withoutFallbacks(plan: RoutePlan): RoutePlan {
  const [first, ...others] = plan.candidates;
  if (first === undefined) return plan;
  const left = others.map(({ profile: { endpoint } }): Exclusion => ({
    endpoint,
    reason: "allow_fallbacks",
    field: "provider.allow_fallbacks",
    detail: "would only be a fallback",
  }));
  return { ...plan, candidates: [first], excluded: [...plan.excluded, ...left] };
}
