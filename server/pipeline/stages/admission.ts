/** Admission: requests whose limits are spent stop here. */

import { ApiError } from "../../../shared/errors.ts";
import { highestUnitPrices } from "../../billing/pricing/unit_prices.ts";
import { type RateName, rateNames } from "../../../shared/models.ts";
import type { BillingContext, Ledger } from "../../billing/ledger/core/ledger.ts";
import type { RequestContext, Stage } from "../request_context.ts";
import type { Pricing } from "../../providers/endpoint.ts";
import { planRoute, prepareRoute, type RoutePlanDeps } from "../routing/route_plan.ts";
import { withRouterNamed } from "../routing/routers/router_settings.ts";
import { recordLimit } from "./record_limit.ts";

export interface AdmissionDeps extends RoutePlanDeps {
  readonly ledger: Pick<Ledger, "admit">;
}

/** Refuses a request whose limit is spent, where every endpoint that may serve it would cost something. */
export function admission(deps: AdmissionDeps): Stage {
  return (next) => async (context) => {
    const { billing, request, caller } = context;
    if (billing === undefined || billing.limits.length === 0) return await next(context);
    const error = await admissionError(deps, { request, caller, billing });
    if (error === undefined) return await next(context);
    recordLimit(context.record, error);
    throw error;
  };
}

/** The part of a request that decides whether it is let in. */
interface AdmissionInput extends Pick<RequestContext, "request" | "caller"> {
  readonly billing: BillingContext;
}

/** The API error of a limit that is spent; undefined where none is. Rejects where the ledger cannot tell. */
export async function admissionError(
  deps: AdmissionDeps,
  applicant: AdmissionInput,
): Promise<ApiError | undefined> {
  try {
    await deps.ledger.admit(applicant.billing);
    return undefined;
  } catch (error) {
    return await exceptFree(deps, { applicant, error });
  }
}

/** The API error, unless the request may be served for nothing. Rejects with what is no API error. */
async function exceptFree(
  deps: AdmissionDeps,
  { applicant, error }: { readonly applicant: AdmissionInput; readonly error: unknown },
): Promise<ApiError | undefined> {
  if (!(error instanceof ApiError) || error.kind === "unavailable") throw error;
  return await hasFreeRate(deps, applicant) ? undefined : error;
}

/** Also true where no endpoint may serve the request, or for an unknown price: `route` has the better words for it. */
async function hasFreeRate(deps: AdmissionDeps, { request, caller }: AdmissionInput): Promise<boolean> {
  const rules = await deps.rulesOf?.(caller);
  const named = withRouterNamed(request, rules?.defaults?.plugins);
  await prepareRoute(deps, { request: named, rules });
  // It does not matter which endpoint comes first: the order, which is drawn anew, leaves none out.
  const { candidates } = planRoute(deps, {
    request: named,
    generation: "",
    rules,
    workspaceId: caller.workspaceId,
  });
  return candidates.length === 0 ||
    candidates.some(({ profile: { endpoint } }) =>
      endpoint.byok === true || endpoint.pricing === null || isAlwaysFree(endpoint.pricing)
    );
}

const free = new WeakMap<Pricing, boolean>();

/** Whether nothing could ever cost anything: neither at another hour nor in another tier. */
export function isAlwaysFree(pricing: Pricing): boolean {
  const known = free.get(pricing);
  if (known !== undefined) return known;
  const charges = highestUnitPrices(pricing);
  const found = Object.keys(rateNames).every((rate) => charges[toRateName(rate)] === 0n);
  free.set(pricing, found);
  return found;
}

/** A key of the table of rates. */
function toRateName(key: string): RateName {
  return key as RateName;
}
