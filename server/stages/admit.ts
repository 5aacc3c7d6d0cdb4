/**
 * Admit: what the caller sent is judged once, before any plugin or tool acts on it: spent keys stop here. Blocked
 * input will too.
 */

import { Refusal } from "../../shared/errors.ts";
import { dearest } from "../../shared/pricing.ts";
import { type RateName, rateNames } from "../../shared/models.ts";
import type { Ledger, Payer } from "../ledger/ledger.ts";
import type { Stage, Turn } from "../pipeline/turn.ts";
import type { Pricing } from "../providers/endpoint.ts";
import { type PlanDeps, planFor } from "../routing/plan.ts";
import { noteLimit } from "./limit_note.ts";

export interface AdmitDeps extends PlanDeps {
  readonly ledger: Pick<Ledger, "admit">;
}

/** Refuses a request whose limit is spent, where every endpoint that may serve it would cost something. */
export function admit(deps: AdmitDeps): Stage {
  return (next) => async (turn) => {
    const { payer } = turn;
    if (payer !== undefined && payer.limits.length > 0) await judge(deps, { payer, turn });
    return await next(turn);
  };
}

interface Judged {
  readonly payer: Payer;
  readonly turn: Turn;
}

async function judge(deps: AdmitDeps, { payer, turn }: Judged): Promise<void> {
  try {
    const admitted = deps.ledger.admit(payer);
    if (admitted !== undefined) await admitted;
  } catch (error) {
    const spent = error instanceof Refusal && error.kind !== "unavailable";
    if (spent && await mayBeFree(deps, turn)) return;
    if (spent) noteLimit(turn.notes, error);
    throw error;
  }
}

/** Also true where nobody may serve the request, or for an unknown price: `route` has the better words for it. */
async function mayBeFree(deps: AdmitDeps, { request, ids, caller }: Turn): Promise<boolean> {
  const rules = await deps.rulesOf?.(caller);
  const { candidates } = planFor(deps, { request, generation: ids.generation, rules });
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
