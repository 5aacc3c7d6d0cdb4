/** How the ledger says no (promises M1, M2, M5, M6). Amounts in metadata are USD numbers. */

import { ApiError } from "../../../../shared/errors.ts";
import { formatUsd, toNanoUsd, toUsdNumber } from "../../../../shared/money.ts";
import { bucketEndsAt } from "./counters/bucket_names.ts";
import type { ReservationAttempt } from "./counters/spend_counter.ts";
import type { ReservationRequest, SpendingLimit } from "./ledger.ts";

/** A limit that is in the way, as it stands. */
export interface LimitStanding {
  readonly limit: SpendingLimit;
  /** Nano-USD that are settled and reserved in its bucket. */
  readonly spent: number;
  readonly reserved: number;
  /** The moment that names the bucket, ms since the epoch. */
  readonly at: number;
}

/** An amount, and for which tools of the provider's own it is, too. */
export type WantedAmount = Pick<ReservationAttempt, "requestedAmount" | "providerTools">;

interface ShortageDetails {
  /** Undefined at the API, where no price is known yet. */
  readonly wanted?: WantedAmount;
  /** Seconds after which another try makes sense: others' open calls are in the way. */
  readonly retryAfter?: number;
}

/** 402, or 403 for a guardrail's limit, with the numbers. */
export function limitReachedError(
  standing: LimitStanding,
  { wanted, retryAfter }: ShortageDetails = {},
): ApiError {
  const { limit, spent, reserved, at } = standing;
  const end = bucketEndsAt(limit.period, at);
  const metadata = {
    limit_source: limit.source,
    limit_usd: toUsdNumber(limit.amount),
    spend_usd: toUsdNumber(toNanoUsd(spent)),
    reserved_usd: toUsdNumber(toNanoUsd(reserved)),
    resets_at: end === undefined ? null : new Date(end).toISOString(),
    ...(limit.source === "guardrail" ? { guardrail_id: limit.id, patterns: [], stage: "spend" } : {}),
  };
  const message = sentence(standing, { wanted, retryAfter });
  const details = retryAfter === undefined ? { metadata } : { metadata, retryAfter };
  if (limit.source !== "guardrail") return new ApiError("payment_required", message, details);
  return new ApiError("blocked", message, { ...details, errorType: "permission_denied" });
}

function sentence(
  { limit, spent, reserved }: LimitStanding,
  { wanted, retryAfter }: ShortageDetails,
): string {
  const usd = (amount: number) => `${formatUsd(toNanoUsd(amount))} USD`;
  const state = `${limit.name} is ${usd(limit.amount)}, of which ${usd(spent)} are spent`;
  if (wanted === undefined) return `${state}.`;
  const { requestedAmount, providerTools = [] } = wanted;
  const tools = providerTools.length === 0
    ? ""
    : `, with calls of the provider's own ${providerTools.join(", ")}`;
  const needs = `this request may cost up to ${usd(requestedAmount)}${tools}`;
  if (retryAfter === undefined) return `${state}; ${needs}.`;
  return `${state} and ${usd(reserved)} are held by requests that are still running; ${needs}.`;
}

/** Whether nobody can say what a call costs at most. */
export const isUnpriced = ({ costBound }: ReservationRequest): boolean =>
  costBound === undefined || costBound.unpricedItem !== undefined;

/** A call without a known price, or with something that has none, where a limit stands (promises M6). */
export function unpricedError(
  { endpoint: { model, provider }, costBound }: ReservationRequest,
  { name }: SpendingLimit,
): ApiError {
  const lacks = costBound?.unpricedItem;
  const what = lacks === undefined ? `${model} at ${provider}` : `${lacks} of ${model} at ${provider}`;
  const price = lacks === undefined ? "the model a price" : "it one among the model's prices";
  return new ApiError(
    "not_found",
    `No price is known for ${what}. ${name} can only hold where prices are known: ` +
      `give ${price} in the configuration file, or name a model that has one.`,
    { metadata: { model, provider, ...(lacks === undefined ? {} : { unpriced: lacks }) } },
  );
}

/** For readers of receipts and sums: what was written last is not in them yet. */
export function receiptsUnreadable(cause: unknown): ApiError {
  const message =
    "The latest receipts cannot be read yet, because the store does not take them. Try again in a moment.";
  return new ApiError("unavailable", message, { retryAfter: 2, cause });
}

/** The ledger cannot write. The reason is for the client; what caused it is for the log. */
export function ledgerUnavailable(why: string, cause?: unknown): ApiError {
  return new ApiError("unavailable", `Cannot account for this request: ${why}.`, { retryAfter: 2, cause });
}
