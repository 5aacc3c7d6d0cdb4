/**
 * The finer rates that LiteLLM publishes, kept in `hand/rates.json` in its own words: service tiers, cache entries of an
 * hour, prompt sizes and hours of the day. Amounts are USD per token.
 */

import * as z from "zod";
import { type OverrideJson, type PricingJson, utcDays } from "../../shared/models.ts";
import { isOfHours, perUnit } from "./price.ts";

const perToken = z.number().nonnegative();
const hours = z.union([z.string(), z.array(z.string())]);
const window = z.object({ hours_utc: hours, weekdays: z.array(z.int().min(1).max(7)).optional() });
const offPeak = z.record(z.string(), z.unknown()).and(z.object({ windows: z.array(window) }));

/** One model; keys that `ratePattern` does not read are left out by the import. */
export const rateRow = z.object({
  off_peak_pricing: offPeak.optional(),
  /** Multiples of the usual price, by the word for a tier. */
  provider_specific_entry: z.record(z.string(), z.number()).optional(),
}).catchall(perToken);

export const rateRows = z.record(z.string(), z.record(z.string(), rateRow));
export type RateRow = z.output<typeof rateRow>;
type Window = z.output<typeof window>;

const rates: Readonly<Record<string, string>> = {
  input_cost_per_token: "prompt",
  output_cost_per_token: "completion",
  cache_read_input_token_cost: "input_cache_read",
  cache_creation_input_token_cost: "input_cache_write",
  input_cost_per_audio_token: "audio",
  output_cost_per_audio_token: "audio_output",
  cache_read_input_audio_token_cost: "input_audio_cache",
  input_cost_per_image_token: "image_token",
  output_cost_per_image_token: "image_output",
  output_cost_per_reasoning_token: "internal_reasoning",
};

/** `input_cost_per_token_above_272k_tokens_priority` → rate, an hour's, size, tier. */
const ratePattern = new RegExp(
  `^(${Object.keys(rates).join("|")})(_above_1hr)?(?:_above_(\\d+)k_tokens)?(?:_(flex|priority))?$`,
);

/** Fields of a row that the import keeps. */
export function keptOf(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(row).filter(([key, value]) =>
    key === "off_peak_pricing" || key === "provider_specific_entry" || ratePattern.test(key) && value !== null
  );
  return Object.fromEntries(kept);
}

type Rates = Record<string, string>;

/** Rates by what they hold for: `|` is the list itself, `272|priority` long prompts in a tier. */
function ratesOf(row: Readonly<Record<string, unknown>>): ReadonlyMap<string, Rates> {
  const all = new Map<string, Rates>();
  for (const [key, value] of Object.entries(row)) {
    const [, name = "", hour, size = "", tier = ""] = ratePattern.exec(key) ?? [];
    const rate = rates[name];
    if (rate === undefined || typeof value !== "number") continue;
    // A cache that costs nothing is one that the provider does not charge apart.
    if (value === 0 && rate.startsWith("input_cache")) continue;
    const where = `${size}|${tier}`;
    const named = hour === undefined ? rate : "input_cache_write_1h";
    all.set(where, { ...all.get(where), [named]: perUnit(value * 1e6, 6) });
  }
  for (const own of all.values()) {
    if (own.internal_reasoning === own.completion) delete own.internal_reasoning;
  }
  return all;
}

/** Price list of a row for the usual tier; null without both sides. */
export function publishedList(row: RateRow): PricingJson | null {
  const all = ratesOf(row);
  const { prompt, completion, ...rest } = all.get("|") ?? {};
  if (prompt === undefined || completion === undefined || Number(completion) === 0) return null;
  const sizes = [...all].flatMap(([where, own]) => {
    const [size = "", tier = ""] = where.split("|");
    return size === "" || tier !== "" ? [] : [{ min_prompt_tokens: Number(size) * 1_000, ...own }];
  });
  const overrides: OverrideJson[] = [
    ...sizes.toSorted((a, b) => a.min_prompt_tokens - b.min_prompt_tokens),
    ...offPeakOf(row),
  ];
  return { prompt, completion, ...rest, ...(overrides.length > 0 ? { overrides } : {}) };
}

/** `{ windows: [{ hours_utc: ["04:00-06:00"], weekdays: [1] }] }` → an override a stretch of hours. */
function offPeakOf({ off_peak_pricing: cheap }: RateRow): readonly OverrideJson[] {
  if (cheap === undefined) return [];
  const own = ratesOf(cheap).get("|") ?? {};
  return cheap.windows.flatMap((one) => hoursOf(one).map((when) => ({ ...when, ...own })));
}

function hoursOf({ hours_utc, weekdays }: Window): readonly OverrideJson[] {
  const days = weekdays === undefined || weekdays.length === 7
    ? {}
    : { utc_days: weekdays.flatMap((day) => utcDays[day % 7] ?? []) };
  return [hours_utc].flat().map((stretch) => {
    const [start = 0, end = 0] = stretch.split("-").map((time) => Number(time.replace(":", "")));
    if (start === end) return days;
    return { utc_start: start, utc_end: end === 0 ? 2_400 : end, ...days };
  });
}

/** Prices of a tier: its own rates by the size of the prompt, and the factor of the others. */
interface Tier {
  readonly name: string;
  readonly own: (size: number | undefined) => Rates;
  readonly input: number;
  readonly output: number;
}

function tiersOf(row: RateRow): readonly Tier[] {
  const all = ratesOf(row);
  const fallback = all.get("|") ?? {};
  const named = ["flex", "priority"].flatMap((name) => {
    const own = all.get(`|${name}`);
    if (own?.prompt === undefined || own.completion === undefined) return [];
    return [{
      name,
      own: (size: number | undefined) =>
        all.get(`${size === undefined ? "" : Math.ceil(size / 1_000)}|${name}`) ?? {},
      input: Number(own.prompt) / Number(fallback.prompt),
      output: Number(own.completion) / Number(fallback.completion),
    }];
  });
  const { fast } = row.provider_specific_entry ?? {};
  return fast === undefined
    ? named
    : [...named, { name: "fast", own: () => ({}), input: fast, output: fast }];
}

const outputs: ReadonlySet<string> = new Set([
  "completion",
  "audio_output",
  "image_output",
  "internal_reasoning",
]);
/** Rates that are the same in every tier. */
const untouched: ReadonlySet<string> = new Set(["request", "web_search", "file_search", "code_interpreter"]);

/** Every rate in a tier: its own price, else the usual one multiplied. */
function inTier(list: OverrideJson, tier: Tier): Rates {
  // What the tier costs from a day on, or by the hour, is not published: the usual prices of then, multiplied.
  const own = list.from === undefined && !isOfHours(list) ? tier.own(list.min_prompt_tokens) : {};
  const scaled = Object.entries(list).flatMap(([rate, value]) => {
    if (typeof value !== "string" || rate === "from" || untouched.has(rate)) return [];
    const multiple = outputs.has(rate) ? tier.output : tier.input;
    return [[rate, perUnit(Number(value) * multiple * 1e6, 6)] as const];
  });
  return { ...Object.fromEntries(scaled), ...own };
}

const conditions = ["min_prompt_tokens", "utc_start", "utc_end", "utc_days", "from"] as const;

/** The list with what the row says of tiers, under every condition of the list's own. */
export function withTiers(list: PricingJson, row: RateRow): PricingJson {
  const { overrides = [], ...fallback } = list;
  const tiers = tiersOf(row).flatMap((tier) =>
    [fallback, ...overrides].map((one: OverrideJson) => ({
      service_tier: tier.name,
      ...Object.fromEntries(conditions.flatMap((key) => one[key] === undefined ? [] : [[key, one[key]]])),
      ...inTier(one, tier),
    }))
  );
  return tiers.length === 0 ? list : { ...list, overrides: [...overrides, ...tiers] };
}
