/** Which endpoints a caller's guardrails leave. Judged once for each endpoint and policy, then remembered. */

import type { DataRegion } from "../../../shared/guardrails.ts";
import type { Policy, ZdrGroup } from "../../pipeline/caller_rules.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Exclusion, ExclusionReason } from "./exclusion.ts";
import { type Names, namesAny, namesOf } from "./glob.ts";
import { isFree, type Profile } from "./endpoint_profile.ts";

/** A policy with its patterns made ready, and what it has said of endpoints. */
interface Judge {
  readonly policy: Policy;
  readonly allowedModels: readonly Names[];
  readonly ignoredModels: Names;
  readonly allowedProviders: readonly Names[];
  readonly ignoredProviders: Names;
  readonly verdicts: WeakMap<Endpoint, Exclusion | "allowed">;
}

const judges = new WeakMap<Policy, Judge>();

function judgeOf(policy: Policy): Judge {
  const known = judges.get(policy);
  if (known !== undefined) return known;
  const judge: Judge = {
    policy,
    allowedModels: policy.allowedModels.map(namesOf),
    ignoredModels: namesOf(policy.ignoredModels),
    allowedProviders: policy.allowedProviders.map(namesOf),
    ignoredProviders: namesOf(policy.ignoredProviders),
    verdicts: new WeakMap(),
  };
  judges.set(policy, judge);
  return judge;
}

/** Undefined for an endpoint that the policy leaves. */
export function forbidden(profile: Profile, policy: Policy): Exclusion | undefined {
  const judge = judgeOf(policy);
  const { endpoint } = profile;
  let verdict = judge.verdicts.get(endpoint);
  if (verdict === undefined) {
    verdict = verdictOn(profile, judge) ?? "allowed";
    judge.verdicts.set(endpoint, verdict);
  }
  return verdict === "allowed" ? undefined : verdict;
}

function verdictOn(profile: Profile, judge: Judge): Exclusion | undefined {
  const { endpoint, names: providers } = profile;
  const models = [endpoint.model.id.toLowerCase()];
  const out = (by: ExclusionReason, detail: string): Exclusion => ({
    endpoint,
    by,
    field: "guardrail",
    detail,
  });
  if (judge.allowedModels.some((list) => !namesAny(list, models))) {
    return out("allowed_models", "serves a model that the guardrail does not list");
  }
  if (namesAny(judge.ignoredModels, models)) {
    return out("ignored_models", "serves a model that the guardrail ignores");
  }
  if (judge.allowedProviders.some((list) => !namesAny(list, providers))) {
    return out("allowed_providers", "is no provider that the guardrail lists");
  }
  if (namesAny(judge.ignoredProviders, providers)) {
    return out("ignored_providers", "is a provider that the guardrail ignores");
  }
  if (!stands(endpoint, judge.policy)) {
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

function stands({ region = "" }: Endpoint, { regions }: Policy): boolean {
  if (regions.length === 0) return true;
  const [, home] = places.find(([name]) => name.test(region)) ?? [];
  return home !== undefined && regions.every((list) => list.includes(home));
}

const policyOf = ({ endpoint }: Profile) => endpoint.dataPolicy ?? endpoint.provider.dataPolicy;

function retains(profile: Profile, { zdr }: Policy): boolean {
  return zdr.size > 0 && zdr.has(groupOf(profile.endpoint.model.id)) && policyOf(profile)?.zdr !== true;
}

function trains(profile: Profile, { noPaidTraining, noFreeTraining }: Policy): boolean {
  const { prices } = profile;
  return (isFree(prices) ? noFreeTraining : noPaidTraining) && policyOf(profile)?.training !== false;
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
