/** A request → the endpoints that may serve it, in order, and why the others may not. Calls nobody. */

import type { Caller } from "../../shared/keys.ts";
import type { ModelRequest } from "../canonical/request.ts";
import type { CallerRules } from "../pipeline/caller_rules.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { canRead, type CompactionReader, isMaker, makersOf } from "./encrypted_reasoning.ts";
import { demandOf } from "./selection/request_requirements.ts";
import type { Exclusion } from "./selection/exclusion.ts";
import { exclusionOf } from "./selection/endpoint_filters.ts";
import { type AskedModel, askedModels, type NameDeps } from "./selection/model_names.ts";
import { type Allowed, type Candidate, inOrder } from "./selection/endpoint_order.ts";
import { offered } from "./selection/byok_endpoints.ts";
import { forbidden } from "./selection/guardrail_filter.ts";
import type { EndpointStats } from "./health/endpoint_stats.ts";
import { type StickyKey, stickyKey } from "./selection/sticky_key.ts";
import { rosterOf } from "./selection/weighted_rendezvous.ts";
import { type Wishes, wishesOf } from "./selection/provider_preferences.ts";

export interface PlanDeps extends NameDeps {
  readonly stats: EndpointStats;
  /** What is laid down for a caller; absent where nothing ever is. For those who have planned for. */
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

export interface Plan {
  readonly asked: readonly AskedModel[];
  readonly strategy: "direct" | "fallback" | "alias";
  readonly wishes: Wishes;
  readonly key: StickyKey;
  /** First to be asked first. */
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Exclusion[];
}

/** Throws a refusal (400) when no model is named and none is the default. */
export function planFor(deps: PlanDeps, { request, generation, rules }: Planned): Plan {
  const { models, strategy } = askedModels(namesFor(deps, { request, rules }), request);
  const usual = rules?.defaults?.sort;
  const asked = usual === undefined
    ? models
    : models.map((model) => ({ ...model, sort: model.sort ?? usual }));
  const wishes = wishesOf(request.provider);
  const key = stickyKey(request, generation);
  const { last, readers } = makersOf(request.input);
  const { allowed, excluded } = judged(request, { asked, wishes, readers, rules });
  const isHome = ({ endpoint }: Candidate["profile"]) => last !== undefined && isMaker(endpoint, last);
  const candidates = inOrder(allowed, { wishes, stats: deps.stats, key: key.hash, isHome });
  const plan: Plan = { asked, strategy, wishes, key, candidates, excluded };
  return wishes.fallbacks ? plan : withoutFallbacks(plan);
}

/**
 * What a name, and none, stands for to a caller: some have keys for providers that the gateway has none for, and a
 * workspace may have default models.
 */
function namesFor(deps: NameDeps, { request, rules }: Omit<Planned, "generation">): NameDeps {
  const { beyond, defaults } = rules ?? noRules;
  if (beyond === undefined && defaults === undefined) return deps;
  const forImages = request.modalities?.includes("image") === true ? defaults?.imageModel : undefined;
  return {
    ...deps,
    defaultModel: forImages ?? defaults?.textModel ?? deps.defaultModel,
    resolve: beyond === undefined ? deps.resolve : (model) => [...deps.resolve(model), ...beyond(model)],
  };
}

const noRules: CallerRules = { ownKeys: [] };

export interface Planned {
  readonly request: ModelRequest;
  /** The generation's id, by which a request that nothing ties to others is placed. */
  readonly generation: string;
  /** What is laid down for the caller; nothing for most. */
  readonly rules?: CallerRules;
}

interface Judging {
  readonly asked: readonly AskedModel[];
  readonly wishes: Wishes;
  /** Of the request's compactions. */
  readonly readers: readonly CompactionReader[];
  readonly rules: CallerRules | undefined;
}

interface Judged {
  readonly allowed: readonly Allowed[];
  readonly excluded: readonly Exclusion[];
}

/** An endpoint stands for the first name under which it may serve. */
function judged(request: ModelRequest, { asked, wishes, readers, rules }: Judging): Judged {
  const demand = demandOf(request);
  const policy = rules?.policy;
  const allowed = new Map<string, Allowed>();
  let excluded: Map<string, Exclusion> | undefined;
  for (const model of asked) {
    const { endpoints, excluded: replaced } = offered(model.endpoints, rules?.ownKeys ?? none);
    for (const exclusion of replaced) (excluded ??= new Map()).set(exclusion.endpoint.id, exclusion);
    for (const { profile, weight } of rosterOf(endpoints)) {
      const { endpoint } = profile;
      if (allowed.has(endpoint.id)) continue;
      const exclusion = (rules?.builtInOnly && notBuiltIn(endpoint, model)) ||
        (policy && forbidden(profile, policy)) ||
        exclusionOf({ profile, asked: model, wishes, demand }) ||
        (readers.every((reader) => canRead(endpoint, reader)) ? undefined : unreadable(endpoint));
      if (exclusion === undefined) {
        allowed.set(endpoint.id, { profile, asked: model, weight });
        excluded?.delete(endpoint.id);
      } else (excluded ??= new Map()).set(endpoint.id, exclusion);
    }
  }
  return { allowed: [...allowed.values()], excluded: excluded === undefined ? none : [...excluded.values()] };
}

const none: readonly [] = [];

const unreadable = (endpoint: Endpoint): Exclusion => ({
  endpoint,
  by: "compaction",
  field: "input",
  detail: "cannot read a compaction in input, which only the provider that made it can",
});

/** Undefined for an endpoint of the built-in provider. */
function notBuiltIn(endpoint: Endpoint, { field }: AskedModel): Exclusion | undefined {
  if (endpoint.provider.builtIn) return undefined;
  const detail = "is not built in, and a key with self_test may use built-in models only (local/…, fault/…)";
  return { endpoint, by: "self_test", field, detail };
}

/** One endpoint, one attempt: also while it rests. */
function withoutFallbacks(plan: Plan): Plan {
  const [first, ...others] = plan.candidates;
  if (first === undefined) return plan;
  const left = others.map(({ profile: { endpoint } }): Exclusion => ({
    endpoint,
    by: "allow_fallbacks",
    field: "provider.allow_fallbacks",
    detail: "would only be a fallback",
  }));
  return { ...plan, candidates: [first], excluded: [...plan.excluded, ...left] };
}
