/** The answer of POST /v1/route/explain. */

import type { ModelRequest } from "../hub/request.ts";
import type { Json } from "../hub/item.ts";
import { explain, type ExplainDeps, type Explanation } from "../routing/explain.ts";
import { nobodyFor } from "./route.ts";
import { paramsOf } from "./route_notes.ts";

export type Explainer = (request: ModelRequest) => Json;

/** Throws the refusal (400) of a request that names no model; all others are told in the answer. */
export function explainer(deps: ExplainDeps): Explainer {
  return (request) => told(explain(deps, request));
}

function told({ plan, exact, endpoints, attempts }: Explanation): Json {
  const possible = endpoints.filter(({ position }) => position !== null);
  return {
    object: "route.explanation",
    requested: plan.asked.map(({ name }) => name),
    strategy: plan.strategy,
    key: plan.key.source,
    exact,
    params: paramsOf(plan),
    attempts,
    candidates: endpoints,
    order: possible.map(({ model, provider_slug }) => ({ model, provider: provider_slug })),
    refusal: plan.candidates.length === 0 ? refusalOf(plan) : null,
    // The ledger fills this in once there is one.
    reservation: null,
  };
}

function refusalOf(plan: Explanation["plan"]): Json {
  const { status, message, errorType, details } = nobodyFor(plan);
  return { status, message, error_type: errorType, availability: details.availability ?? null };
}
