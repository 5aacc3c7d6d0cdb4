/** Which endpoints of some models may serve a request: all that a filter removes is named with its reason. */

import type { CallerRules } from "../../caller_rules.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { canRead, type CompactionReader } from "../encrypted_reasoning.ts";
import { withByokEndpoints } from "./byok_endpoints.ts";
import { findExclusion } from "./endpoint_filters.ts";
import type { AllowedEndpoint } from "./endpoint_order.ts";
import type { EndpointProfile } from "./endpoint_profile.ts";
import type { Exclusion } from "./exclusion.ts";
import { findPolicyExclusion } from "./guardrail_filter.ts";
import type { RequestedModel } from "./model_names.ts";
import type { RoutingPreferences } from "./provider_preferences.ts";
import type { RequestRequirements } from "./request_requirements.ts";
import { weighEndpoints } from "./weighted_rendezvous.ts";

/** All of a request that filters look at. */
export interface Restrictions {
  readonly preferences: RoutingPreferences;
  /** Readers of the request's compactions. */
  readonly readers: readonly CompactionReader[];
  readonly rules: CallerRules | undefined;
}

interface SelectionInput extends Restrictions {
  readonly models: readonly RequestedModel[];
}

interface SelectionResult {
  readonly allowed: readonly AllowedEndpoint[];
  readonly excluded: readonly Exclusion[];
}

/** An endpoint stands for the first name under which it may serve. */
export function selectEndpoints(
  demand: RequestRequirements,
  { models, preferences, readers, rules }: SelectionInput,
): SelectionResult {
  const allowed = new Map<string, AllowedEndpoint>();
  let excluded: Map<string, Exclusion> | undefined;
  for (const model of models) {
    const { endpoints, excluded: replaced } = withByokEndpoints(model.endpoints, rules?.byokKeys ?? none);
    for (const exclusion of replaced) (excluded ??= new Map()).set(exclusion.endpoint.id, exclusion);
    for (const { profile, weight } of weighEndpoints(endpoints)) {
      const { endpoint } = profile;
      if (allowed.has(endpoint.id)) continue;
      const exclusion = exclusionOf(profile, { model, demand, preferences, readers, rules });
      if (exclusion === undefined) {
        allowed.set(endpoint.id, { profile, model, weight });
        excluded?.delete(endpoint.id);
      } else (excluded ??= new Map()).set(endpoint.id, exclusion);
    }
  }
  return { allowed: [...allowed.values()], excluded: excluded === undefined ? none : [...excluded.values()] };
}

const none: readonly [] = [];

interface JudgedEndpoint extends Restrictions {
  readonly model: RequestedModel;
  readonly demand: RequestRequirements;
}

/** The first filter that removes an endpoint; undefined for one that may serve. */
export function exclusionOf(
  profile: EndpointProfile,
  { model, demand, preferences, readers, rules }: JudgedEndpoint,
): Exclusion | undefined {
  const { endpoint } = profile;
  const policy = rules?.policy;
  return (rules?.builtInOnly && notBuiltIn(endpoint, model)) ||
    (policy && findPolicyExclusion(profile, policy)) ||
    findExclusion({ profile, models: model, preferences, demand }) ||
    (readers.every((reader) => canRead(endpoint, reader)) ? undefined : unreadable(endpoint));
}

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
