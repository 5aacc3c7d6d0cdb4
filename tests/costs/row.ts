/** One row of a cost table: what a provider counted, its prices on that day, and what that costs. */

import type { OverrideJson } from "../../shared/models.ts";
import { formatUnitPrice, parseUnitPrice, type UnitPrice } from "../../shared/money.ts";

type Rate = Exclude<
  keyof OverrideJson,
  "min_prompt_tokens" | "service_tier" | "utc_start" | "utc_end" | "utc_days" | "from"
>;
export type RatesToday = { readonly [R in Rate]?: string };

/** As price pages tell them: USD per million tokens or characters, and per chunk of anything else. */
export interface Prices extends RatesToday {
  readonly prompt: string;
  readonly completion: string;
  readonly overrides?: readonly (
    & RatesToday
    & Pick<OverrideJson, "min_prompt_tokens" | "service_tier" | "utc_start" | "utc_end">
  )[];
}

export interface CostRow {
  readonly provider: string;
  readonly model: string;
  /** The day of the price. */
  readonly date: string;
  readonly what: string;
  /** `counts`: what no wire of ours tells yet. */
  readonly wire: "responses" | "chat" | "messages" | "gemini" | "bedrock" | "counts";
  /** Usage in the provider's answer. */
  readonly reported: Readonly<Record<string, unknown>>;
  readonly prices: Prices;
  /** When the request was made, where the hour matters. */
  readonly at?: string;
  /** The tier that was asked for. */
  readonly requested?: string;
  /** USD, worked out from the page by hand and rounded up to the nano-USD. */
  readonly cost: string;
}

const perChunk: ReadonlySet<string> = new Set(["request", "image", "output_image", "web_search", "second"]);
const conditions: ReadonlySet<string> = new Set([
  "min_prompt_tokens",
  "service_tier",
  "utc_start",
  "utc_end",
]);

/** Per unit, as the configuration file spells it. */
export function pricingJson({ overrides, ...rates }: Prices): unknown {
  return { ...perUnit(rates), overrides: overrides?.map(perUnit) };
}

function perUnit(rates: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(rates).map((
      [rate, price],
    ) => [rate, perChunk.has(rate) || conditions.has(rate) ? price : millionth(String(price))]),
  );
}

const millionth = (price: string) => formatUnitPrice(toPrice(parseUnitPrice(price) / 1_000_000n));

/** Still exact: no page tells more than twelve digits. */
function toPrice(value: bigint): UnitPrice {
  return value as UnitPrice;
}
