/**
 * Facts of a model at a provider: prices as decimal strings, and the words that requests and replies use
 * (specification, Models, endpoints, providers). Prices are spelled as the API spells them in the configuration file
 * and in the snapshot.
 */

import * as z from "zod";

/** USD per unit. Never a float: the digits are kept as they were published. */
export const priceSchema = z.string().regex(
  /^\d{1,9}(\.\d{1,18})?$/,
  'a price is a decimal number in quotes, such as "0.0000002"',
);

/**
 * Names of rates → their spelling in JSON. Tokens, but for what is charged per chunk: request, image (one that is
 * sent), outputImage (one that is made), webSearch, fileSearch, codeInterpreter (a container in which a provider runs
 * programs), character (of speech to be spoken) and second (of audio).
 */
export const rateNames = {
  prompt: "prompt",
  completion: "completion",
  request: "request",
  image: "image",
  outputImage: "output_image",
  imageToken: "image_token",
  imageOutput: "image_output",
  audio: "audio",
  audioOutput: "audio_output",
  inputAudioCache: "input_audio_cache",
  webSearch: "web_search",
  fileSearch: "file_search",
  codeInterpreter: "code_interpreter",
  internalReasoning: "internal_reasoning",
  inputCacheRead: "input_cache_read",
  inputCacheWrite: "input_cache_write",
  inputCacheWrite1h: "input_cache_write_1h",
  character: "character",
  second: "second",
} as const;

export type RateName = keyof typeof rateNames;
/** Rates of receipts: those of price lists, and those of services besides models. */
export const chargedRateNames = { ...rateNames, ocrPage: "ocr_page" } as const;
export type ChargedRate = keyof typeof chargedRateNames;
/** Prices by what is priced. A rate that is absent is charged as its parent: see billing/pricing/unit_prices.ts. */
export type RatePrices = { readonly [R in RateName]?: string };

/** Rates that hold under conditions, all of which must hold. Later ones win, rate by rate. */
export interface PriceOverride extends RatePrices {
  /** Holds for requests of strictly more prompt tokens. */
  readonly minPromptTokens?: number;
  /** Holds in this tier: as the provider says it served, else as was asked (`flex`, `priority`, `batch`). */
  readonly serviceTier?: string;
  /** Hours of the day in UTC, as HHMM numbers, the end excluded; may pass midnight. */
  readonly utcStart?: number;
  readonly utcEnd?: number;
  readonly utcDays?: readonly UtcDay[];
  /** First day on which it holds, `YYYY-MM-DD`, UTC. */
  readonly from?: string;
}

export interface PriceList extends RatePrices {
  readonly prompt: string;
  readonly completion: string;
  readonly overrides?: readonly PriceOverride[];
}

/** Where a fact comes from, and of which day it is. */
export interface FactSource {
  readonly name: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

export const utcDays = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;
type UtcDay = (typeof utcDays)[number];

export const inputModalities = ["text", "image", "file", "audio", "video"] as const;
export const outputModalities = [
  "text",
  "image",
  "embeddings",
  "audio",
  "video",
  "rerank",
  "decisions",
  "speech",
  "transcription",
] as const;

export const parameterNames = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "top_a",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "max_tokens",
  "max_completion_tokens",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "prediction",
  "seed",
  "response_format",
  "structured_outputs",
  "stop",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "include_reasoning",
  "reasoning",
  "reasoning_effort",
  "web_search_options",
  "verbosity",
] as const;

export const quantizations = [
  "int4",
  "int8",
  "fp4",
  "mxfp4",
  "nvfp4",
  "fp6",
  "fp8",
  "mxfp8",
  "fp16",
  "bf16",
  "fp32",
  "unknown",
] as const;

export const categories = [
  "programming",
  "roleplay",
  "marketing",
  "marketing/seo",
  "technology",
  "science",
  "translation",
  "legal",
  "finance",
  "health",
  "trivia",
  "academia",
] as const;

export const modelSorts = [
  "most-popular",
  "newest",
  "top-weekly",
  "pricing-low-to-high",
  "pricing-high-to-low",
  "context-high-to-low",
  "throughput-high-to-low",
  "latency-low-to-high",
  "intelligence-high-to-low",
  "coding-high-to-low",
  "agentic-high-to-low",
  "design-arena-elo-high-to-low",
] as const;

export const regions = ["eu", "us"] as const;
const rates = {
  prompt: priceSchema.optional(),
  completion: priceSchema.optional(),
  request: priceSchema.optional(),
  image: priceSchema.optional(),
  output_image: priceSchema.optional(),
  image_token: priceSchema.optional(),
  image_output: priceSchema.optional(),
  audio: priceSchema.optional(),
  audio_output: priceSchema.optional(),
  input_audio_cache: priceSchema.optional(),
  web_search: priceSchema.optional(),
  file_search: priceSchema.optional(),
  code_interpreter: priceSchema.optional(),
  internal_reasoning: priceSchema.optional(),
  input_cache_read: priceSchema.optional(),
  input_cache_write: priceSchema.optional(),
  input_cache_write_1h: priceSchema.optional(),
  character: priceSchema.optional(),
  second: priceSchema.optional(),
} as const;

/** HHMM, such as 1630. */
const clock = z.int().min(0).max(2400).refine((at) => at % 100 < 60, "a time of day as HHMM, such as 1630");
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, "a day as YYYY-MM-DD");

/** The keys of one conditional price. */
export const overrideShape = {
  ...rates,
  min_prompt_tokens: z.int().nonnegative().optional(),
  service_tier: z.string().min(1).max(64).optional(),
  utc_start: clock.optional(),
  utc_end: clock.optional(),
  utc_days: z.array(z.enum(utcDays)).optional(),
  from: day.optional(),
} as const;

/** The keys of a price list. */
export const pricingShape = {
  ...rates,
  prompt: priceSchema,
  completion: priceSchema,
} as const;

const overrideSchema = z.object(overrideShape);
const pricingSchema = z.object({ ...pricingShape, overrides: z.array(overrideSchema).optional() });

/** A price list as JSON spells it. */
export type PricingJson = z.output<typeof pricingSchema>;
export type OverrideJson = z.output<typeof overrideSchema>;

const ratePairs = Object.entries(rateNames);

/** The rates alone, without conditions. */
function toRates(json: OverrideJson): RatePrices {
  const input: Readonly<Record<string, unknown>> = json;
  const found = ratePairs.flatMap(([name, key]) =>
    input[key] === undefined ? [] : [[name, input[key]] as const]
  );
  return Object.fromEntries(found);
}

function toOverride(json: OverrideJson): PriceOverride {
  return {
    ...toRates(json),
    minPromptTokens: json.min_prompt_tokens,
    serviceTier: json.service_tier,
    utcStart: json.utc_start,
    utcEnd: json.utc_end,
    utcDays: json.utc_days,
    from: json.from,
  };
}

/** JSON's spelling → ours. */
export function toPriceList(json: PricingJson): PriceList {
  const { prompt, completion, overrides } = json;
  const list = { ...toRates(json), prompt, completion };
  return overrides === undefined ? list : { ...list, overrides: overrides.map(toOverride) };
}

/** Parses a price list in JSON's spelling. */
export const priceListSchema = pricingSchema.transform(toPriceList);

/** Our spelling → JSON's, rates only. */
export function ratesToJson(prices: RatePrices): Readonly<Record<string, string>> {
  const input: Readonly<Record<string, unknown>> = { ...prices };
  const shown: Record<string, string> = {};
  for (const [name, key] of ratePairs) {
    const value = input[name];
    if (typeof value === "string") shown[key] = value;
  }
  return shown;
}
