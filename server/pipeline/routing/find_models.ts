/** Finds models for requests that the gateway makes itself: whether a named one can be reached, and who else could. */

import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { CallerRules } from "../caller_rules.ts";
import { planRoute, type RoutePlanDeps } from "./route_plan.ts";
import type { EvidenceSource } from "./routers/evidence.ts";
import { modelPool } from "./routers/model_pool.ts";
import { rankModels } from "./routers/rank_models.ts";
import { reachedModels } from "./routers/reached_models.ts";
import type { RouteCandidate } from "./selection/endpoint_order.ts";
import type { RequestedModel } from "./selection/model_names.ts";
import { parsePreferences } from "./selection/provider_preferences.ts";
import { requirementsOf } from "./selection/request_requirements.ts";

/** Calls nobody. */
export interface ModelFinder {
  /** Candidate that would be called first; undefined where nobody may serve the request. */
  readonly find: (request: ModelRequest) => RouteCandidate | undefined;
  /** Every candidate, the one that would be called first before the others. */
  readonly findAll: (request: ModelRequest) => readonly RouteCandidate[];
  /** All models that may serve the request, whatever it names, the best first. */
  readonly rank: (request: ModelRequest) => RankedModels;
}

interface RankedModels {
  /** The source of evidence that ranks them. */
  readonly source: EvidenceSource;
  readonly ids: readonly string[];
}

interface FinderInput {
  /** The generation's id, by which requests are placed among equal endpoints. */
  readonly generation: string;
  /** Rules of the caller. */
  readonly rules: CallerRules | undefined;
}

export const modelFinder = (deps: RoutePlanDeps, { generation, rules }: FinderInput): ModelFinder => ({
  find: (request) => planRoute(deps, { request, generation, rules }).candidates[0],
  findAll: (request) => planRoute(deps, { request, generation, rules }).candidates,
  rank: (request) => rankAll(deps, { request, rules }),
});

/** Stands for every model. */
const anyModel: RequestedModel = {
  name: "",
  position: 0,
  field: "model",
  variants: new Set(),
  sort: undefined,
  endpoints: [],
};

function rankAll(
  { listings, evidence }: RoutePlanDeps,
  { request, rules }: { readonly request: ModelRequest; readonly rules: CallerRules | undefined },
): RankedModels {
  const pool = modelPool(reachedModels(listings, rules), {
    request,
    demand: requirementsOf(request),
    preferences: parsePreferences(request.provider),
    readers: [],
    rules,
    named: anyModel,
  });
  const candidates = pool.models.map(({ id, price }) => ({ model: id, cost: price }));
  const { source, models } = rankModels(evidence(), { task: "qa_knowledge", candidates });
  return { source, ids: models.map(({ model }) => model) };
}
