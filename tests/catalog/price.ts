/** The packages' prices → the API's spelling: decimal strings per unit, with overrides for size, hour and day. */

import type { OverrideJson, PricingJson } from "../../shared/models.ts";
import type { Constraint, LimitRow, PriceRow, Tiered } from "./sources.ts";

/** Which rate a key of the package prices, and per how many units. */
const rates = {
  input_mtok: ["prompt", 6],
  output_mtok: ["completion", 6],
  cache_read_mtok: ["input_cache_read", 6],
  cache_write_mtok: ["input_cache_write", 6],
  cache_write_1h_mtok: ["input_cache_write_1h", 6],
  input_audio_mtok: ["audio", 6],
  output_audio_mtok: ["audio_output", 6],
  cache_audio_read_mtok: ["input_audio_cache", 6],
  input_image_mtok: ["image_token", 6],
  output_image_mtok: ["image_output", 6],
  output_reasoning_mtok: ["internal_reasoning", 6],
  requests_kcount: ["request", 3],
  web_searches_kcount: ["web_search", 3],
} as const;

/** Digits after the point that a price may have. */
const MAX_DIGITS = 18;

/** `2.5` per 10^6 → `0.0000025`. The number's own digits are shifted, without the noise of the packages' own arithmetic. */
export function perUnit(price: number, power: number): string {
  const [mantissa = "", exponent = "0"] = Number(price.toPrecision(12)).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1 - power;
  if (price === 0) return "0";
  if (point <= 0) return `0.${"0".repeat(-point)}${digits.slice(0, MAX_DIGITS + point)}`;
  const whole = digits.slice(0, point).padEnd(point, "0");
  return digits.length > point ? `${whole}.${digits.slice(point)}` : whole;
}

type Rates = Record<string, string>;
type Prices = Readonly<Record<string, Tiered | undefined>>;

const base = (price: Tiered): number => typeof price === "number" ? price : price.base;

/** The rates that a list begins with. */
function baseRates(prices: Prices): Rates {
  const out: Rates = {};
  for (const [key, [rate, power]] of Object.entries(rates)) {
    const price = prices[key];
    if (price !== undefined) out[rate] = perUnit(base(price), power);
  }
  return out;
}

/** One override for every size at which a rate changes. */
function tierRates(prices: Prices): readonly OverrideJson[] {
  const bySize = new Map<number, Rates>();
  for (const [key, [rate, power]] of Object.entries(rates)) {
    const price = prices[key];
    if (price === undefined || typeof price === "number") continue;
    for (const { start, price: dearer } of price.tiers) {
      bySize.set(start, { ...bySize.get(start), [rate]: perUnit(dearer, power) });
    }
  }
  return [...bySize].sort(([a], [b]) => a - b).map(([start, out]) => ({ min_prompt_tokens: start, ...out }));
}

/** `01:30:00Z` → 130 */
function clock(time: string): number {
  const [hours = "0", minutes = "0"] = time.split(":");
  return Number(hours) * 100 + Number(minutes);
}

function conditions(constraint: Constraint): OverrideJson {
  if (constraint.type === "start_date") return { from: constraint.start_date };
  return { utc_start: clock(constraint.start_time), utc_end: clock(constraint.end_time) };
}

/** Prices of the package of prices. What began on or before `today` is the list itself. Null without both sides. */
export function pricesOf(row: PriceRow, today: string): PricingJson | null {
  const all = Array.isArray(row.prices) ? row.prices : [{ prices: row.prices }];
  const begun = all.filter(({ constraint }) =>
    constraint === undefined || constraint.type === "start_date" && constraint.start_date <= today
  );
  const now = begun.at(-1)?.prices;
  if (!now) return null;
  const { prompt, completion, ...rest } = baseRates(now);
  if (prompt === undefined || completion === undefined) return null;
  const later = all.flatMap((one) => {
    if (!one.constraint || begun.includes(one)) return [];
    const when = conditions(one.constraint);
    return [
      { ...when, ...baseRates(one.prices) },
      ...tierRates(one.prices).map((tier) => ({ ...tier, ...when })),
    ];
  });
  const overrides = [...tierRates(now), ...later];
  return { prompt, completion, ...rest, ...(overrides.length > 0 ? { overrides } : {}) };
}

/** Prices of the package of limits, which has no rate of 0 for a cache: it means none. */
export function costsOf({ cost }: LimitRow): PricingJson | null {
  const { input, output, tiers = [] } = cost;
  if (input === 0 && output === 0) return null;
  const overrides = tiers.map((one) => ({ min_prompt_tokens: one.inputTokensAbove, ...costRates(one) }));
  return { ...costRates(cost), ...(overrides.length > 0 ? { overrides } : {}) };
}

function costRates({ input, output, cacheRead, cacheWrite }: Omit<LimitRow["cost"], "tiers">) {
  return {
    prompt: perUnit(input, 6),
    completion: perUnit(output, 6),
    ...(cacheRead > 0 ? { input_cache_read: perUnit(cacheRead, 6) } : {}),
    ...(cacheWrite > 0 ? { input_cache_write: perUnit(cacheWrite, 6) } : {}),
  };
}

/** Whether two lists have the same rates, or one has those of an hour of the other. */
export function agree(one: PricingJson, other: PricingJson): boolean {
  const hoursOf = ({ overrides = [] }: PricingJson) => overrides.filter(isOfHours);
  const same = (a: OverrideJson, b: OverrideJson) =>
    Number(a.prompt) === Number(b.prompt) && Number(a.completion) === Number(b.completion);
  return [one, ...hoursOf(one)].some((rates) => same(rates, other)) ||
    hoursOf(other).some((rates) => same(rates, one));
}

/** Whether an override holds at some hours or on some days of the week only. */
export const isOfHours = ({ utc_start, utc_days }: OverrideJson): boolean =>
  utc_start !== undefined || utc_days !== undefined;

/** Kind of condition that an override hangs on. */
const kindOf = (one: OverrideJson): string =>
  one.from !== undefined ? "day" : isOfHours(one) ? "hours" : "size";

/** The better list, with what only the other says: rates, and conditions of a kind that the better one has none of. */
export function combined(better: PricingJson, other: PricingJson): PricingJson {
  const kinds = new Set((better.overrides ?? []).map(kindOf));
  const more = (other.overrides ?? []).filter((one) => !kinds.has(kindOf(one)));
  const overrides = [...(better.overrides ?? []), ...more];
  return { ...other, ...better, overrides: overrides.length > 0 ? overrides : undefined };
}

const THOUSAND = 1_000;

/**
 * Sizes as the providers publish them. One source writes "from 272,000 on" where OpenAI says "above 272,000", and
 * another the reverse for the provider that counts the boundary in.
 */
export function withSizes(list: PricingJson, { inclusive }: { readonly inclusive: boolean }): PricingJson {
  const size = (above: number) => {
    if (inclusive) return above % THOUSAND === 0 ? above - 1 : above;
    return above % THOUSAND === THOUSAND - 1 ? above + 1 : above;
  };
  const overrides = list.overrides?.map((one) =>
    one.min_prompt_tokens === undefined ? one : { ...one, min_prompt_tokens: size(one.min_prompt_tokens) }
  );
  return overrides === undefined ? list : { ...list, overrides };
}
