/** An attempt that was not made because the money for it cannot be set aside. */

import type { Refusal } from "../../shared/errors.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { profileOf } from "./profile.ts";

/** No fault of the endpoint, whose health is left alone; a cheaper one may still serve the request. */
export class Unpaid extends Error {
  override readonly name = "Unpaid";
  readonly endpoint: Endpoint;
  readonly refusal: Refusal;

  constructor(endpoint: Endpoint, refusal: Refusal) {
    super(refusal.message, { cause: refusal });
    this.endpoint = endpoint;
    this.refusal = refusal;
  }
}

/**
 * Whether an endpoint may fit where another one did not: it costs less for something. Without a price nothing is
 * known, so nothing can fit under a limit; a key of the caller's own may not count at all.
 */
export function mayCostLess(endpoint: Endpoint, than: Endpoint): boolean {
  if (endpoint.byok !== than.byok) return true;
  const { prices } = profileOf(endpoint);
  const { prices: dear } = profileOf(than);
  if (prices === null) return false;
  if (dear === null) return true;
  return prices.prompt < dear.prompt || prices.completion < dear.completion ||
    prices.request < dear.request || prices.image < dear.image ||
    prices.character < dear.character || prices.second < dear.second ||
    (endpoint.maxOutputTokens ?? Infinity) < (than.maxOutputTokens ?? Infinity);
}
