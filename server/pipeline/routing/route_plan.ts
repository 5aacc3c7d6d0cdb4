/** A request → the endpoints that may serve it, in order, and why the others may not. Calls nobody. */

import type { Caller } from "../../../shared/keys.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { CallerRules } from "../caller_rules.ts";
import { isOrigin, reasoningOrigins } from "./encrypted_reasoning.ts";
import {
  chooseModels,
  prepareModels,
  type RouterDecision,
  type RouterDeps,
} from "./routers/choose_models.ts";
import { routers } from "./routers/mod.ts";
import { settingsFinder } from "./routers/router_settings.ts";
import { hintForSlug, type NamedRouter, type RouteStrategy } from "./routers/router_slugs.ts";
import { type RequestRequirements, requirementsOf } from "./selection/request_requirements.ts";
import { endpointProfile } from "./selection/endpoint_profile.ts";
import { rendezvousScore } from "./selection/weighted_rendezvous.ts";
import { keyedEndpoints } from "../../providers/keyed_endpoints.ts";
import { hintForAlias } from "../../providers/model_aliases.ts";
import { hintForFamily } from "./selection/latest_models.ts";
import type { Exclusion } from "./selection/exclusion.ts";
import { chooseByContext } from "./selection/context_choice.ts";
import {
  type ModelNameDeps,
  namedRouters,
  type RequestedModel,
  resolveRequestedModels,
  stripVariants,
} from "./selection/model_names.ts";
import { orderCandidates, type RouteCandidate } from "./selection/endpoint_order.ts";
import { type Restrictions, selectEndpoints } from "./selection/select_endpoints.ts";
import { type StickyKey, stickyKeyOf } from "./selection/sticky_key.ts";
import { parsePreferences, type RoutingPreferences } from "./selection/provider_preferences.ts";

export interface RoutePlanDeps extends ModelNameDeps, RouterDeps {
  /** Finds the rules of a caller; absent where no rules are ever set. For those who have planned for. */
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

export interface RoutePlan {
  readonly models: readonly RequestedModel[];
  readonly strategy: RouteStrategy;
  readonly preferences: RoutingPreferences;
  readonly stickyKey: StickyKey;
  readonly requirements: RequestRequirements;
  /** First to be asked first. */
  readonly candidates: readonly RouteCandidate[];
  readonly excluded: readonly Exclusion[];
  /** A sentence for a caller whose first model has no endpoint, or whose router may choose none. */
  readonly hint?: string;
  /** Choices of the routers that the request names, in their order; empty for most. */
  readonly decisions: readonly RouterDecision[];
}

/** Throws an ApiError (400) when no model is named and none is the default. */
export function planRoute(deps: RoutePlanDeps, planned: RoutePlanInput): RoutePlan {
  const { request, generation, rules } = planned;
  const preferences = parsePreferences(request.provider);
  const key = stickyKeyOf(request, generation);
  const { last, readers } = reasoningOrigins(request.input);
  const requirements = requirementsOf(request);
  const restrictions = { preferences, readers, rules };
  const { models, strategy, decisions } = modelsOf(deps, { ...planned, demand: requirements, restrictions });
  const selected = selectEndpoints(requirements, { ...restrictions, models });
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
    models,
    strategy,
    preferences,
    stickyKey: key,
    requirements,
    candidates,
    excluded,
    hint: candidates.length + excluded.length > 0
      ? undefined
      : hintFor(deps, { ...planned, models, decisions }),
    decisions,
  };
  return withEachKey(preferences.fallbacks ? plan : withoutFallbacks(plan));
}

/** In the place of an endpoint, one for each key of its provider: by the same draw, so that a session stays with its key. */
function withEachKey(plan: RoutePlan): RoutePlan {
  const { candidates, stickyKey } = plan;
  if (candidates.every(({ profile }) => keyedEndpoints(profile.endpoint) === undefined)) return plan;
  const each = candidates.flatMap((candidate) => {
    const keyed = keyedEndpoints(candidate.profile.endpoint);
    if (keyed === undefined) return [candidate];
    const weight = candidate.weight / keyed.length;
    return keyed.map((endpoint) => {
      const profile = endpointProfile(endpoint);
      return {
        ...candidate,
        profile,
        weight,
        tieBreak: rendezvousScore(stickyKey.hash, profile, { weight }),
      };
    }).sort((one, other) => one.tieBreak - other.tieBreak);
  });
  return { ...plan, candidates: each };
}

/** To be called before a plan that nobody shall wait for: long lists of patterns are matched with pauses. */
export function prepareRoute(
  deps: RoutePlanDeps,
  { request, rules }: Pick<RoutePlanInput, "request" | "rules">,
): void | Promise<void> {
  if (request.plugins.length === 0 && rules?.defaults?.plugins === undefined) return;
  const { models } = resolveRequestedModels(namesFor(deps, { request, rules }), request);
  return prepareModels(deps, { models, request, rules });
}

/** Whether a router of the request chooses by its task. */
export function asksForTask(
  deps: RoutePlanDeps,
  { request, rules }: Pick<RoutePlanInput, "request" | "rules">,
): boolean {
  return routersOf(deps, { request, rules }).some(({ slug }) => routers[slug].readsTask === true);
}

/** The routers that a request stands for, by names of its own or by a default model of its workspace. */
export function routersOf(
  deps: ModelNameDeps,
  { request, rules }: Pick<RoutePlanInput, "request" | "rules">,
): readonly NamedRouter[] {
  const isNamed = request.model !== undefined || request.models.length > 0;
  return namedRouters(isNamed ? deps : namesFor(deps, { request, rules }), request);
}

interface Unserved
  extends Pick<RoutePlanInput, "request" | "rules">, Pick<RoutePlan, "models" | "decisions"> {}

function hintFor(deps: RoutePlanDeps, unserved: Unserved): string | undefined {
  if (unserved.decisions.length > 0) return hintForList(deps, unserved);
  const [first] = unserved.models;
  const name = first?.listed ?? first?.name ?? "";
  return hintForSlug(stripVariants(name)) ?? hintForFamily(deps.listings, stripVariants(name)) ??
    deps.hintFor?.(name);
}

/** A router's list of allowed models has their own names: an alias in it allows nothing. */
function hintForList({ aliases = {} }: RoutePlanDeps, { request, rules }: Unserved): string | undefined {
  const settingsOf = settingsFinder(request, rules?.defaults?.plugins);
  return [settingsOf("auto-router"), settingsOf("auto-beta-router")]
    .flatMap((settings) => settings?.allowed_models ?? [])
    .map((name) => hintForAlias(name, aliases)).find((hint) => hint !== undefined);
}

interface NamedModels extends RoutePlanInput {
  readonly demand: RequestRequirements;
  readonly restrictions: Restrictions;
}

/** The models that are asked for, with those that routers choose in the place of their slugs. */
function modelsOf(
  deps: RoutePlanDeps,
  { request, rules, workspaceId = "", turnModel, demand, restrictions }: NamedModels,
): Pick<RoutePlan, "models" | "strategy" | "decisions"> {
  const named = resolveRequestedModels(namesFor(deps, { request, rules }), request);
  const routed = named.models.some(({ router }) => router !== undefined)
    ? chooseModels(deps, { ...restrictions, models: named.models, request, demand, workspaceId, turnModel })
    : { models: named.models, decisions: none };
  const fallback = rules?.defaults?.sort;
  return {
    models: fallback === undefined
      ? routed.models
      : routed.models.map((model) => ({ ...model, sort: model.sort ?? fallback })),
    strategy: named.models[0]?.router === undefined
      ? named.strategy
      : routed.decisions[0]?.strategy ?? named.strategy,
    decisions: routed.decisions,
  };
}

const none: readonly RouterDecision[] = [];

/**
 * Finds the models that a name, or none, stands for to a caller: some have keys for providers that the gateway has
 * none for, and a workspace may have default models.
 */
function namesFor(
  deps: ModelNameDeps,
  { request, rules }: Pick<RoutePlanInput, "request" | "rules">,
): ModelNameDeps {
  const { byokModels, defaults } = rules ?? noRules;
  if (byokModels === undefined && defaults === undefined) return deps;
  const forImages = request.modalities?.includes("image") === true ? defaults?.imageModel : undefined;
  return {
    ...deps,
    defaultModel: forImages ?? defaults?.textModel ?? deps.defaultModel,
    resolve: byokModels === undefined
      ? deps.resolve
      : (model) => [...deps.resolve(model), ...byokModels.resolve(model)],
  };
}

const noRules: CallerRules = { byokKeys: [] };

export interface RoutePlanInput {
  readonly request: ModelRequest;
  /** The generation's id, by which a request that nothing ties to others is placed. */
  readonly generation: string;
  /** Rules of the caller; absent for most. */
  readonly rules?: CallerRules;
  /** Workspace of the caller, whose conversations a router remembers; absent where nobody calls. */
  readonly workspaceId?: string;
  /** The model that has answered an earlier turn of the request: a router stays with it. */
  readonly turnModel?: string;
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
