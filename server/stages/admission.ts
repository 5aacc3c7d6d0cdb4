/**
 * Admit: what the caller sent is judged once, before any plugin or tool acts on it: spent keys stop here. Blocked
 * input will too.
 */

import { Refusal } from "../../shared/errors.ts";
import { dearest } from "../pricing/unit_prices.ts";
import { type RateName, rateNames } from "../../shared/models.ts";
import type { Ledger, Payer } from "../ledger/core/ledger.ts";
import type { Stage, Turn } from "../pipeline/request_context.ts";
import type { Pricing } from "../providers/endpoint.ts";
import { type PlanDeps, planFor } from "../routing/route_plan.ts";
import { noteLimit } from "./record_limit.ts";

export interface AdmitDeps extends PlanDeps {
  readonly ledger: Pick<Ledger, "admit">;
}

/** Refuses a request whose limit is spent, where every endpoint that may serve it would cost something. */
export function admit(deps: AdmitDeps): Stage {
  return (next) => {
    const judged = async (turn: Turn, judging: Promise<Refusal | undefined>) => {
      const refusal = await judging;
      if (refusal === undefined) return await next(turn);
      noteLimit(turn.notes, refusal);
      throw refusal;
    };
    // Most requests are under no limit, or within theirs, and are passed on without a promise of their own.
    return (turn) => {
      const { payer, request, caller } = turn;
      if (payer === undefined || payer.limits.length === 0) return next(turn);
      const judging = refusalOf(deps, { request, caller, payer });
      return judging === undefined ? next(turn) : judged(turn, judging);
    };
  };
}

/** What of a request decides whether it is let in. */
export interface Applicant extends Pick<Turn, "request" | "caller"> {
  readonly payer: Payer;
}

/** The refusal of a limit that is spent. Undefined where it is known at once that none is. Rejects where the ledger cannot tell. */
export function refusalOf(
  deps: AdmitDeps,
  applicant: Applicant,
): Promise<Refusal | undefined> | undefined {
  const judged = (error: unknown) => unlessFree(deps, { applicant, error });
  try {
    return deps.ledger.admit(applicant.payer)?.then(() => undefined, judged);
  } catch (error) {
    return judged(error);
  }
}

/** The refusal, unless the request may be served for nothing. Rejects with what is no refusal. */
async function unlessFree(
  deps: AdmitDeps,
  { applicant, error }: { readonly applicant: Applicant; readonly error: unknown },
): Promise<Refusal | undefined> {
  if (!(error instanceof Refusal) || error.kind === "unavailable") throw error;
  return await mayBeFree(deps, applicant) ? undefined : error;
}

/** Also true where nobody may serve the request, or for an unknown price: `route` has the better words for it. */
async function mayBeFree(deps: AdmitDeps, { request, caller }: Applicant): Promise<boolean> {
  const rules = await deps.rulesOf?.(caller);
  // Whoever is asked first: an order that is drawn anew leaves nobody out.
  const { candidates } = planFor(deps, { request, generation: "", rules });
  return candidates.length === 0 ||
    candidates.some(({ profile: { endpoint } }) =>
      endpoint.byok === true || endpoint.pricing === null || isFree(endpoint.pricing)
    );
}

const free = new WeakMap<Pricing, boolean>();

/** Whether nothing could ever cost anything: neither at another hour nor in another tier. */
export function isFree(pricing: Pricing): boolean {
  const known = free.get(pricing);
  if (known !== undefined) return known;
  const charges = dearest(pricing);
  const found = Object.keys(rateNames).every((rate) => charges[toRateName(rate)] === 0n);
  free.set(pricing, found);
  return found;
}

/** A key of the table of rates. */
function toRateName(key: string): RateName {
  return key as RateName;
}
