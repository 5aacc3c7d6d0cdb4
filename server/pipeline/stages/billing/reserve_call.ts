/** Reserves money for whatever a request buys: calls of models, and what server tools buy elsewhere. */

import type { Reservation, ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { RequestContext } from "../../request_context.ts";

/**
 * Money for a call that the caller may still make when the money is there, which may take seconds (faults B3). Rejects
 * as `reserve` and `verify` do.
 */
export async function reserveCall(
  { transaction, verify }: Pick<RequestContext, "transaction" | "verify">,
  request: ReservationRequest,
): Promise<Reservation> {
  if (transaction === undefined) throw new Error("Cannot reserve: the request has no ledger transaction");
  const reservation = await transaction.reserve(request);
  try {
    const verified = verify?.();
    if (verified instanceof Promise) await verified;
    return reservation;
  } catch (error) {
    reservation.release();
    throw error;
  }
}
