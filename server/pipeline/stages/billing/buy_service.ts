/** Pays for what server tools and plugins buy besides model calls: reserved before, settled after, one line on the receipt. */

import {
  addUsd,
  formatUnitPrice,
  type NanoUsd,
  toNanoUsd,
  unitPriceOf,
  ZERO,
} from "../../../../shared/money.ts";
import { normalizeUsage, type Usage } from "../../../protocols/canonical/usage.ts";
import type { CostBound, Reservation, ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { CallRecord, RequestContext } from "../../request_context.ts";
import type { Charge } from "../../../billing/pricing/charge.ts";
import type { Bought, Purchase, PurchaseRate } from "../../purchase.ts";
import { ApiError } from "../../../../shared/errors.ts";
import { reserveCall } from "./reserve_call.ts";
import { recordLimit } from "../record_limit.ts";

interface Buying<T> {
  readonly call: CallRecord;
  readonly purchase: Purchase<T>;
}

type Counted = Pick<Bought<unknown>, "results" | "quantity">;

/** Rejects as `reserve` does where the limits do not allow it, and as the purchase itself does. */
export async function buyService<T>(context: RequestContext, { call, purchase }: Buying<T>): Promise<T> {
  const { service, price, byok = false } = purchase;
  let reservation: Reservation;
  try {
    reservation = await reserveCall(context, reservationFor(purchase, call));
  } catch (error) {
    if (error instanceof ApiError) recordLimit(context.record, error);
    throw error;
  }
  if (context.request.stream) await whenDurable(reservation);
  const settle = (
    cost: NanoUsd = price ?? ZERO,
    { results, quantity = purchase.quantity ?? 1 }: Counted = {},
  ) => {
    reservation.settle(byok ? { cost: ZERO, byok: cost } : { cost, byok: ZERO });
    call.callCosts.push({
      service,
      usage: usageOf(purchase, results),
      charge: chargeOf(purchase, { total: cost, quantity }),
    });
  };
  try {
    const { value, isCharged, cost, ...counted } = await purchase.buy();
    if (isCharged) settle(cost, counted);
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

function reservationFor(
  { service, price, byok = false, before }: Purchase<unknown>,
  { purpose }: CallRecord,
): ReservationRequest {
  // Others limit the two where only one is on a key of the caller's.
  const next = before?.byok === byok ? before : undefined;
  return {
    costBound: price === undefined ? undefined : next === undefined ? flatCost(price) : costWith(price, next),
    requestedMaxTokens: next?.requestedMaxTokens,
    defaultMaxTokens: next?.defaultMaxTokens ?? 0,
    byok,
    endpoint: { id: `${purpose}/${service}`, model: purpose, provider: service },
  };
}

/** It costs the same whatever comes of it. */
const flatCost = (price: NanoUsd): CostBound => ({
  total: () => price,
  maxTokensWithin: (amount) => amount >= price ? 0 : -1,
  inputCost: price,
});

/** Cost of both: once the purchase is settled, the rest of it is free again. */
function costWith(price: NanoUsd, { costBound }: ReservationRequest): CostBound | undefined {
  return costBound && {
    total: (cap) => addUsd(price, costBound.total(cap)),
    maxTokensWithin: (amount) => amount < price ? -1 : costBound.maxTokensWithin(toNanoUsd(amount - price)),
    unpricedItem: costBound.unpricedItem,
    inputCost: price,
  };
}

/** Counts in the usage of a call. */
const counts: Readonly<Record<PurchaseRate, Partial<Usage>>> = {
  webSearch: { webSearches: 1 },
  ocrPage: {},
  request: {},
};

const usageOf = ({ rate }: Purchase<unknown>, searchResults: number | undefined): Usage =>
  normalizeUsage({ inputTokens: 0, outputTokens: 0, ...counts[rate], searchResults });

interface Charged {
  readonly total: NanoUsd;
  readonly quantity: number;
}

const chargeOf = ({ rate, price }: Purchase<unknown>, { total, quantity }: Charged): Charge => ({
  lines: price === undefined
    ? []
    : [{ rate, side: "tool", quantity, unitPrice: formatUnitPrice(unitPriceOf(total, quantity)) }],
  total,
  input: ZERO,
  output: ZERO,
  tools: total,
  cacheDiscount: toNanoUsd(0),
  by: price === undefined ? "nobody" : "list",
  estimated: false,
});
