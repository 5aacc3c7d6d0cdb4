/** The cost of a search, before it is made. */

import { costOf, type NanoUsd, parseUnitPrice } from "../../../shared/money.ts";
import { INCLUDED_RESULTS, type SearchEngine, type SearchInput } from "./engine.ts";

/** Nano-USD; undefined where no price is known. `price` is the operator's own of each search, in USD. */
export function searchCost(
  { price: listed, maxResults }: Pick<SearchEngine, "price" | "maxResults">,
  { input, price }: { readonly input: Pick<SearchInput, "maxResults" | "mode">; readonly price?: string },
): NanoUsd | undefined {
  if (price !== undefined) return costOf([{ quantity: 1, price: parseUnitPrice(price) }]);
  if (listed === null) return undefined;
  const { search, modes, furtherResult = "0" } = listed;
  const further = Math.max(0, Math.min(input.maxResults, maxResults) - INCLUDED_RESULTS);
  return costOf([
    { quantity: 1, price: parseUnitPrice(modes?.get(input.mode ?? "") ?? search) },
    { quantity: further, price: parseUnitPrice(furtherResult) },
  ]);
}
