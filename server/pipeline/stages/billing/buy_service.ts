/** Pays for what server tools and plugins buy besides model calls: reserved before, settled after, one line on the receipt. */

import { formatUnitPrice, type NanoUsd, toNanoUsd, toUnitPrice, ZERO } from "../../../../shared/money.ts";
import { normalizeUsage, type Usage } from "../../../protocols/canonical/usage.ts";
import type { CostBound, Reservation, ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { CallRecord, RequestContext } from "../../request_context.ts";
import type { Charge } from "../../../billing/pricing/charge.ts";
import type { Purchase, PurchaseRate } from "../../purchase.ts";
import { ApiError } from "../../../../shared/errors.ts";
import { reserveCall } from "./reserve_call.ts";
import { recordLimit } from "../record_limit.ts";

interface Buying<T> {
  readonly call: CallRecord;
  readonly purchase: Purchase<T>;
}

/** Rejects as `reserve` does where the limits do not allow it, and as the purchase itself does. */
export async function buyService<T>(context: RequestContext, { call, purchase }: Buying<T>): Promise<T> {
  const { service, price } = purchase;
  let reservation: Reservation;
  try {
    reservation = await reserveCall(context, reservationFor(purchase, call));
  } catch (error) {
    if (error instanceof ApiError) recordLimit(context.record, error);
    throw error;
  }
  if (context.request.stream) await whenDurable(reservation);
  const settle = (cost: NanoUsd = price ?? ZERO, searchResults?: number) => {
    reservation.settle({ cost, byok: ZERO });
    call.callCosts.push({
      service,
      usage: usageOf(purchase, searchResults),
      charge: chargeOf(purchase, cost),
    });
  };
  try {
    const { value, isCharged, cost, results } = await purchase.buy();
    if (isCharged) settle(cost, results);
    else reservation.release();
    return value;
  } catch (error) {
    // It was sent, and nobody knows what became of it.
    settle();
    throw error;
  }
}

/**
 * Waits until a reservation is durable: the client of a stream sees what is bought, which must not be forgotten by a
 * crash (promises M4).
 */
async function whenDurable(reservation: Reservation): Promise<void> {
  try {
    await reservation.durable();
  } catch (error) {
    reservation.release();
    throw error;
  }
}

function reservationFor({ service, price }: Purchase<unknown>, { purpose }: CallRecord): ReservationRequest {
  return {
    costBound: price === undefined ? undefined : flatCost(price),
    requestedMaxTokens: undefined,
    defaultMaxTokens: 0,
    byok: false,
    endpoint: { id: `${purpose}/${service}`, model: purpose, provider: service },
  };
}

/** It costs the same whatever comes of it. */
const flatCost = (price: NanoUsd): CostBound => ({
  total: () => price,
  maxTokensWithin: (amount) => amount >= price ? 0 : -1,
  inputCost: price,
});

/** Counts in the usage of a call. */
const counts: Readonly<Record<PurchaseRate, Partial<Usage>>> = {
  webSearch: { webSearches: 1 },
  request: {},
};

const usageOf = ({ rate }: Purchase<unknown>, searchResults: number | undefined): Usage =>
  normalizeUsage({ inputTokens: 0, outputTokens: 0, ...counts[rate], searchResults });

const chargeOf = ({ rate, price }: Purchase<unknown>, total: NanoUsd): Charge => ({
  lines: price === undefined
    ? []
    : [{ rate, side: "tool", quantity: 1, unitPrice: formatUnitPrice(toUnitPrice(total)) }],
  total,
  input: ZERO,
  output: ZERO,
  tools: total,
  cacheDiscount: toNanoUsd(0),
  by: price === undefined ? "nobody" : "list",
  estimated: false,
});
