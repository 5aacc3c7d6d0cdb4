/** The answer of POST /v1/route/explain. */

import type { Refusal } from "../../../shared/errors.ts";
import { toUsdNumber } from "../../../shared/money.ts";
import type { Json } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { Forecast, Ledger, Payer } from "../../ledger/core/ledger.ts";
import type { Caller } from "../../pipeline/request_context.ts";
import { explain, type ExplainDeps, type Explanation } from "../../routing/explain_route.ts";
import { Fault } from "../../routing/upstream_error.ts";
import type { Clock } from "../../runtime.ts";
import { refusalOf } from "../admission.ts";
import type { OrderLimits } from "../../pricing/reservation_request.ts";
import { ready } from "../prepare_call.ts";
import type { RenderDeps } from "../render_provider_request.ts";
import { nobodyFor } from "./route.ts";
import { paramsOf } from "./record_route.ts";
import type { SpeechRenderDeps } from "../speech/render_speech.ts";
import { requestAt } from "./candidate_request.ts";

export interface ExplainerDeps extends ExplainDeps, RenderDeps, SpeechRenderDeps {
  readonly limits: ExplainDeps["limits"] & OrderLimits;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "preview" | "admit">;
  readonly payerOf: (caller: Caller) => Payer | Promise<Payer>;
}

export interface ExplainAsked {
  readonly request: ModelRequest;
  readonly caller: Caller;
}

export type Explainer = (asked: ExplainAsked) => Promise<Json>;

/** Throws the refusal (400) of a request that names no model; all others are told in the answer. */
export function explainer(deps: ExplainerDeps): Explainer {
  return async (asked) => {
    const rules = await deps.rulesOf?.(asked.caller);
    const explanation = explain({ ...deps, rules }, asked.request);
    return { ...routeOf(explanation), reservation: await reservationOf(deps, { ...asked, explanation }) };
  };
}

/** What routing alone has to say. */
export function routeOf({ plan, exact, endpoints, attempts }: Explanation): Json {
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
    refusal: plan.candidates.length === 0 ? shown(nobodyFor(plan)) : null,
  };
}

function shown({ status, message, errorType, details }: Refusal): Json {
  return { status, message, error_type: errorType, availability: details.availability ?? null };
}

interface Reserving extends ExplainAsked {
  readonly explanation: Explanation;
}

/** What would be set aside for the endpoint that is asked first; null where nobody is. */
async function reservationOf(
  deps: ExplainerDeps,
  { request, caller, explanation }: Reserving,
): Promise<Json | null> {
  const { first } = explanation;
  if (first === undefined) return null;
  const { endpoint } = first.profile;
  const fitted = requestAt(request, first).request;
  const payer = await deps.payerOf(caller);
  const made = unlessUnsayable(() => ready(deps, { turn: { request: fitted, caller }, endpoint, payer }));
  // The call would pass it over, since its wire cannot say what was asked.
  if (made === undefined) return null;
  const forecast = await deps.ledger.preview(payer, made.order);
  if (forecast.type !== "refused") return told(forecast);
  // What is spent is told at the door, before anybody asks for a price.
  const atTheDoor = await refusalOf(deps, { request, caller, payer });
  return told({ ...forecast, refusal: atTheDoor ?? forecast.refusal });
}

function unlessUnsayable<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Amounts in USD. */
function told({ type, reserved, outputCap, lowered, limits, refusal }: Forecast): Json {
  return {
    would_be: type,
    reserved_usd: toUsdNumber(reserved),
    output_cap: outputCap ?? null,
    lowered,
    limits: limits.map(({ limit, spent, held }) => ({
      source: limit.source,
      name: limit.name,
      period: limit.period,
      limit_usd: toUsdNumber(limit.amount),
      spend_usd: toUsdNumber(spent),
      reserved_usd: toUsdNumber(held),
    })),
    refusal: refusal === undefined ? null : {
      status: refusal.status,
      message: refusal.message,
      error_type: refusal.errorType,
      metadata: refusal.details.metadata ?? {},
    },
  };
}
