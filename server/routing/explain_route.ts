/** What would become of a request, without calling anybody: POST /v1/route/explain. */

import type { ModelRequest } from "../canonical/request.ts";
import type { CallerRules } from "../pipeline/caller_rules.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { Exclusion } from "./selection/exclusion.ts";
import type { Health, Standing } from "./health/endpoint_health.ts";
import { type Candidate, compareRanks } from "./selection/endpoint_order.ts";
import { type Plan, type PlanDeps, planFor } from "./route_plan.ts";
import { profileOf } from "./selection/endpoint_profile.ts";

export interface ExplainDeps extends PlanDeps {
  readonly health: Health;
  readonly limits: { readonly attempts: number };
  /** Those of the caller who asks. */
  readonly rules?: CallerRules;
}

/** An endpoint of a model that was asked for. */
export interface Explained {
  readonly model: string;
  readonly provider: string;
  readonly provider_slug: string;
  /** Called with a key of the workspace's own. */
  readonly byok?: true;
  /** The filter that removed it, or its health; null for one that may be asked. */
  readonly excluded_by: string | null;
  readonly excluded_field?: string;
  readonly detail?: string;
  /** From 1, among those that may be asked now; null for the others. */
  readonly position: number | null;
  /** Of being asked first. */
  readonly probability: number;
  readonly weight: number | null;
  /** The draw that decides among equals, lowest first; null where each request draws anew. */
  readonly draw: number | null;
  /** USD per million tokens. */
  readonly price: { readonly prompt: number; readonly completion: number } | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly health: Standing["type"];
  readonly uptime: number | null;
  /** Median milliseconds to the beginning, and median tokens a second. */
  readonly latency: number | null;
  readonly throughput: number | null;
}

export interface Explanation {
  readonly plan: Plan;
  /** Whether `position` says what would happen, or only what is likely. */
  readonly exact: boolean;
  readonly endpoints: readonly Explained[];
  /** Who is asked first, or most likely so; undefined where nobody may be asked. */
  readonly first: Candidate | undefined;
  readonly attempts: number;
}

export function explain(deps: ExplainDeps, request: ModelRequest): Explanation {
  const plan = planFor(deps, { request, generation: "", rules: deps.rules });
  const exact = plan.key.source !== "request";
  const fresh = plan.candidates.filter(({ profile }) => mayAsk(deps.health, profile.endpoint));
  const asked = exact ? fresh : fresh.toSorted((one, other) => compareRanks(one.rank, other.rank));
  const chances = exact ? new Map(fresh.slice(0, 1).map((one) => [one, 1])) : chancesOf(asked);
  const shown = plan.candidates.map((candidate) =>
    explained(deps, { candidate, asked, exact, probability: chances.get(candidate) ?? 0 })
  );
  return {
    plan,
    exact,
    endpoints: [
      ...shown.toSorted((one, other) => (one.position ?? Infinity) - (other.position ?? Infinity)),
      ...plan.excluded.map((exclusion) => removed(deps, exclusion)),
    ],
    first: asked[0],
    attempts: plan.wishes.fallbacks ? deps.limits.attempts : 1,
  };
}

function mayAsk(health: Health, { id }: Endpoint): boolean {
  const { type } = health.standing(id);
  return type === "well" || type === "probe";
}

/** The first of the order is drawn from those that rank as high: w / Σ w of them, by the way the draw is made. */
function chancesOf(asked: readonly Candidate[]): ReadonlyMap<Candidate, number> {
  const [first] = asked;
  if (first === undefined) return new Map();
  const equals = asked.filter(({ rank }) => compareRanks(rank, first.rank) === 0);
  const all = equals.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(equals.map((one) => [one, one.weight / all]));
}

interface Told {
  readonly candidate: Candidate;
  readonly asked: readonly Candidate[];
  readonly exact: boolean;
  readonly probability: number;
}

function explained(deps: ExplainDeps, { candidate, asked, exact, probability }: Told): Explained {
  const { profile, weight, draw } = candidate;
  const at = asked.indexOf(candidate);
  const health = deps.health.standing(profile.endpoint.id).type;
  return {
    ...figures(deps, profile.endpoint),
    excluded_by: at === -1 ? health : null,
    position: at === -1 ? null : at + 1,
    probability,
    weight,
    draw: exact ? draw : null,
  };
}

function removed(deps: ExplainDeps, { endpoint, by, field, detail }: Exclusion): Explained {
  return {
    ...figures(deps, endpoint),
    excluded_by: by,
    excluded_field: field,
    detail,
    position: null,
    probability: 0,
    weight: null,
    draw: null,
  };
}

function figures({ health, stats }: ExplainDeps, endpoint: Endpoint) {
  const { prices } = profileOf(endpoint);
  const { id, model, provider } = endpoint;
  return {
    model: model.id,
    provider: provider.name,
    provider_slug: provider.id,
    ...(endpoint.byok === true ? { byok: true as const } : {}),
    price: prices === null ? null : { prompt: prices.prompt, completion: prices.completion },
    scores: endpoint.scores ?? {},
    health: health.standing(id).type,
    uptime: stats.uptime(id).last30m,
    latency: stats.latency(id)?.p50 ?? null,
    throughput: stats.throughput(id)?.p50 ?? null,
  };
}
