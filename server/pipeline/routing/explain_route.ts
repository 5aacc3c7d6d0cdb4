/** Explains what would become of a request, without calling anybody: POST /v1/route/explain. */

import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Exclusion } from "./selection/exclusion.ts";
import type { EndpointHealth, EndpointState } from "./health/endpoint_health.ts";
import { compareRanks, type RouteCandidate } from "./selection/endpoint_order.ts";
import { planRoute, type RoutePlan, type RoutePlanDeps } from "./route_plan.ts";
import { keyNameOf } from "../../providers/keyed_endpoints.ts";
import { endpointProfile } from "./selection/endpoint_profile.ts";

export interface ExplainRouteDeps extends RoutePlanDeps {
  readonly health: EndpointHealth;
  /** Tells for how long each connection to the origin of a URL carries one request; undefined: several. */
  readonly singleUse: { readonly secondsLeft: (url: string) => number | undefined };
  readonly limits: { readonly attempts: number };
  /** Rules of the caller. */
  readonly rules?: CallerRules;
  /** Workspace of the caller. */
  readonly workspaceId?: string;
  /** Candidates that the call would pass over. */
  readonly passedOver?: readonly Exclusion[];
}

/** An endpoint of a model that was asked for. */
export interface EndpointExplanation {
  readonly model: string;
  readonly provider: string;
  readonly provider_slug: string;
  /** Called with a key of the workspace's own. */
  readonly byok?: true;
  /** Variable of the key with which it is called, where its provider has several. */
  readonly key?: string;
  /** The filter that removed it, or its health; null for one that may be asked. */
  readonly excluded_by: string | null;
  readonly excluded_field?: string;
  readonly detail?: string;
  /** From 1, among those that may be asked now; null for the others. */
  readonly position: number | null;
  /** Probability of being called first. */
  readonly probability: number;
  readonly weight: number | null;
  /** The draw that decides among equals, lowest first; null where each request draws anew. */
  readonly draw: number | null;
  /** USD per million tokens. */
  readonly price: { readonly prompt: number; readonly completion: number } | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly health: EndpointState["type"];
  /** Seconds for which each connection to it carries one request; null where they carry several. */
  readonly single_use_seconds: number | null;
  readonly uptime: number | null;
  /** Median milliseconds to the beginning, and median tokens a second. */
  readonly latency: number | null;
  readonly throughput: number | null;
}

export interface RouteExplanation {
  readonly plan: RoutePlan;
  /** Whether `position` says what would happen, or only what is likely. */
  readonly exact: boolean;
  readonly endpoints: readonly EndpointExplanation[];
  /** Candidate that is called first, or most likely so; undefined where none may be called. */
  readonly first: RouteCandidate | undefined;
  /** All that may be called, in their order. */
  readonly candidates: readonly RouteCandidate[];
  readonly attempts: number;
}

export function explainRoute(deps: ExplainRouteDeps, request: ModelRequest): RouteExplanation {
  const plan = planRoute(deps, { request, generation: "", rules: deps.rules, workspaceId: deps.workspaceId });
  const exact = plan.stickyKey.source !== "request";
  const passedOver = deps.passedOver ?? [];
  const left = plan.candidates.filter(({ profile }) =>
    passedOver.every(({ endpoint }) => endpoint !== profile.endpoint)
  );
  const fresh = left.filter(({ profile }) => mayAsk(deps.health, profile.endpoint));
  const requested = exact ? fresh : fresh.toSorted((one, other) => compareRanks(one.rank, other.rank));
  const chances = exact ? new Map(fresh.slice(0, 1).map((one) => [one, 1])) : chancesOf(requested);
  const shown = left.map((candidate) =>
    explainCandidate(deps, { candidate, requested, exact, probability: chances.get(candidate) ?? 0 })
  );
  return {
    plan,
    exact,
    endpoints: [
      ...shown.toSorted((one, other) => (one.position ?? Infinity) - (other.position ?? Infinity)),
      ...[...passedOver, ...plan.excluded].map((exclusion) => explainExclusion(deps, exclusion)),
    ],
    first: requested[0],
    candidates: requested,
    attempts: plan.preferences.fallbacks ? deps.limits.attempts : 1,
  };
}

function mayAsk(health: EndpointHealth, { id }: Endpoint): boolean {
  const { type } = health.stateOf(id);
  return type === "well" || type === "probe";
}

/** The first of the order is drawn from those that rank as high: w / Σ w of them, by the way the draw is made. */
function chancesOf(requested: readonly RouteCandidate[]): ReadonlyMap<RouteCandidate, number> {
  const [first] = requested;
  if (first === undefined) return new Map();
  const equals = requested.filter(({ rank }) => compareRanks(rank, first.rank) === 0);
  const all = equals.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(equals.map((one) => [one, one.weight / all]));
}

interface ExplainedFigures {
  readonly candidate: RouteCandidate;
  readonly requested: readonly RouteCandidate[];
  readonly exact: boolean;
  readonly probability: number;
}

function explainCandidate(
  deps: ExplainRouteDeps,
  { candidate, requested, exact, probability }: ExplainedFigures,
): EndpointExplanation {
  const { profile, weight, tieBreak } = candidate;
  const at = requested.indexOf(candidate);
  const health = deps.health.stateOf(profile.endpoint.id).type;
  return {
    ...figures(deps, profile.endpoint),
    excluded_by: at === -1 ? health : null,
    position: at === -1 ? null : at + 1,
    probability,
    weight,
    draw: exact ? tieBreak : null,
  };
}

function explainExclusion(
  deps: ExplainRouteDeps,
  { endpoint, reason, field, detail }: Exclusion,
): EndpointExplanation {
  return {
    ...figures(deps, endpoint),
    excluded_by: reason,
    excluded_field: field,
    detail,
    position: null,
    probability: 0,
    weight: null,
    draw: null,
  };
}

function figures({ health, stats, singleUse }: ExplainRouteDeps, endpoint: Endpoint) {
  const { prices } = endpointProfile(endpoint);
  const { id, model, provider } = endpoint;
  const key = keyNameOf(id);
  return {
    model: model.id,
    provider: provider.name,
    provider_slug: provider.id,
    ...(endpoint.byok === true ? { byok: true as const } : {}),
    ...(key === undefined ? {} : { key }),
    price: prices === null ? null : { prompt: prices.prompt, completion: prices.completion },
    scores: endpoint.scores ?? {},
    health: health.stateOf(id).type,
    single_use_seconds: singleUse.secondsLeft(provider.baseUrl) ?? null,
    uptime: stats.uptime(id).last30m,
    latency: stats.latency(id)?.p50 ?? null,
    throughput: stats.throughput(id)?.p50 ?? null,
  };
}
