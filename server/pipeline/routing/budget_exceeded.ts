/** An attempt that was not made because the money for it cannot be reserved. */

import type { ApiError } from "../../../shared/errors.ts";
import { maxImageTokens } from "../../billing/pricing/media_tokens.ts";
import { isCheaperFor } from "../../billing/pricing/unit_prices.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

/** No fault of the endpoint, whose health is left alone; a cheaper one may still serve the request. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly endpoint: Endpoint;
  readonly error: ApiError;

  constructor(endpoint: Endpoint, error: ApiError) {
    super(error.message, { cause: error });
    this.endpoint = endpoint;
    this.error = error;
  }
}

/**
 * Whether an endpoint may fit where another one did not: it costs less for something, or does less. Without a price
 * nothing is known, so nothing can fit under a limit; a key of the caller's own may not count at all.
 */
export function mayBeCheaper(endpoint: Endpoint, than: Endpoint): boolean {
  if (endpoint.byok !== than.byok) return true;
  if (endpoint.pricing === null) return false;
  if (than.pricing === null || isCheaperFor(endpoint.pricing, than.pricing)) return true;
  const bounds = boundsOf(than);
  return boundsOf(endpoint).some((bound, at) => bound < (bounds[at] ?? Infinity));
}

/** Bounds of the tokens of a call at an endpoint. */
const boundsOf = ({ maxOutputTokens, model, upstreamModel }: Endpoint): readonly number[] => [
  maxOutputTokens ?? Infinity,
  model.contextLength ?? Infinity,
  maxImageTokens(upstreamModel),
];
