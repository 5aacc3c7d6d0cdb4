/** Which endpoints a caller's guardrails leave. Judged once for each endpoint and policy, then remembered. */

import type { DataRegion } from "../../../../shared/guardrails.ts";
import type { GuardrailPolicy, ZdrGroup } from "../../caller_rules.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Exclusion, ExclusionReason } from "./exclusion.ts";
import { compilePatterns, matchesAny, type NamePatterns } from "./glob.ts";
import { compileModelPatterns, listsModel, listsVersion } from "./model_patterns.ts";
import { type EndpointProfile, endpointProfile, isTypicallyFree } from "./endpoint_profile.ts";

/** A policy with its patterns made ready, and what it has said of endpoints. */
interface PolicyCheck {
  readonly policy: GuardrailPolicy;
  readonly allowedModels: readonly NamePatterns[];
  readonly ignoredModels: NamePatterns;
  readonly allowedProviders: readonly NamePatterns[];
  readonly ignoredProviders: NamePatterns;
  readonly verdicts: WeakMap<Endpoint, Exclusion | "allowed">;
}

const judges = new WeakMap<GuardrailPolicy, PolicyCheck>();

function compilePolicy(policy: GuardrailPolicy): PolicyCheck {
  const known = judges.get(policy);
  if (known !== undefined) return known;
  const judge: PolicyCheck = {
    policy,
    allowedModels: policy.allowedModels.map(compileModelPatterns),
    ignoredModels: compileModelPatterns(policy.ignoredModels),
    allowedProviders: policy.allowedProviders.map(compilePatterns),
    ignoredProviders: compilePatterns(policy.ignoredProviders),
    verdicts: new WeakMap(),
  };
  judges.set(policy, judge);
  return judge;
}

/** Undefined for an endpoint that the policy leaves. */
export function findPolicyExclusion(
  profile: EndpointProfile,
  policy: GuardrailPolicy,
): Exclusion | undefined {
  const judge = compilePolicy(policy);
  const { endpoint } = profile;
  let verdict = judge.verdicts.get(endpoint);
  if (verdict === undefined) {
    verdict = verdictOn(profile, judge) ?? "allowed";
    judge.verdicts.set(endpoint, verdict);
  }
  return verdict === "allowed" ? undefined : verdict;
}

/** More than this many comparisons are worth a pause. */
const MANY = 10_000;

/**
 * Judges endpoints ahead of the requests that name them, where long lists of patterns would hold up a request that may
 * be served by very many. Yields where other work may run.
 */
export function* preparePolicy(
  policy: GuardrailPolicy,
  endpoints: readonly Endpoint[],
): Generator<undefined, void> {
  const judge = compilePolicy(policy);
  const lists = [
    ...judge.allowedModels,
    judge.ignoredModels,
    ...judge.allowedProviders,
    judge.ignoredProviders,
  ];
  const globs = lists.reduce((sum, { globs: all }) => sum + all.length, 0);
  if (globs * endpoints.length < MANY) return;
  for (const endpoint of endpoints) {
    findPolicyExclusion(endpointProfile(endpoint), policy);
    yield;
  }
}

const outOf = (endpoint: Endpoint) => (by: ExclusionReason, detail: string): Exclusion => ({
  endpoint,
  reason: by,
  field: "guardrail",
  detail,
});

function verdictOn(profile: EndpointProfile, judge: PolicyCheck): Exclusion | undefined {
  const { endpoint } = profile;
  const out = outOf(endpoint);
  if (judge.allowedModels.some((list) => !listsModel(list, endpoint))) {
    return out("allowed_models", "serves a model that the guardrail does not list");
  }
  if (listsVersion(judge.ignoredModels, endpoint)) {
    return out("ignored_models", "serves a model that the guardrail ignores");
  }
  return providerVerdict(profile, judge);
}

/** Undefined for an endpoint whose provider the policy leaves, whatever model it is asked for. */
export const findProviderExclusion = (
  profile: EndpointProfile,
  policy: GuardrailPolicy,
): Exclusion | undefined => providerVerdict(profile, compilePolicy(policy));

function providerVerdict(profile: EndpointProfile, judge: PolicyCheck): Exclusion | undefined {
  const { endpoint, names } = profile;
  const out = outOf(endpoint);
  if (judge.allowedProviders.some((list) => !matchesAny(list, names))) {
    return out("allowed_providers", "is no provider that the guardrail lists");
  }
  if (matchesAny(judge.ignoredProviders, names)) {
    return out("ignored_providers", "is a provider that the guardrail ignores");
  }
  if (!isExempt(endpoint, judge.policy)) {
    return out("data_region", "is not known to stand in a region that the guardrail allows");
  }
  return retains(profile, judge.policy)
    ? out("data_policy:zdr", "is not known to retain nothing, which the guardrail demands")
    : trains(profile, judge.policy)
    ? out("data_policy:training", "is not known to keep prompts out of training, which the guardrail demands")
    : undefined;
}

/** An operator's word for a place, `eu` or `us-east-1`, and the region in which it is. */
const places: readonly (readonly [RegExp, DataRegion])[] = [
  [/^(?:eu|europe)(?:-|$)/i, "europe"],
  [/^us(?:-|$)/i, "us"],
];

function isExempt({ region = "" }: Endpoint, { regions }: GuardrailPolicy): boolean {
  if (regions.length === 0) return true;
  const [, home] = places.find(([name]) => name.test(region)) ?? [];
  return home !== undefined && regions.every((list) => list.includes(home));
}

const policyOf = ({ endpoint }: EndpointProfile) => endpoint.dataPolicy ?? endpoint.provider.dataPolicy;

function retains(profile: EndpointProfile, { zdr }: GuardrailPolicy): boolean {
  return zdr.size > 0 && zdr.has(groupOf(profile.endpoint.model.id)) && policyOf(profile)?.zdr !== true;
}

function trains(profile: EndpointProfile, { noPaidTraining, noFreeTraining }: GuardrailPolicy): boolean {
  const { prices } = profile;
  return (isTypicallyFree(prices) ? noFreeTraining : noPaidTraining) && policyOf(profile)?.training !== false;
}

const groups: ReadonlyMap<string, ZdrGroup> = new Map([
  ["anthropic", "anthropic"],
  ["openai", "openai"],
  ["google", "google"],
  ["x-ai", "xai"],
  ["xai", "xai"],
]);

/** By the author in front of the model's name. */
function groupOf(model: string): ZdrGroup {
  return groups.get(model.toLowerCase().split("/", 1)[0] ?? "") ?? "other";
}
