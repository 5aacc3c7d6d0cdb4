/** Reads the two packages with a schema of what is used of them. */

import * as z from "zod";
import type { RateRow } from "./rates.ts";

const perMillion = z.number().nonnegative();

const tier = z.object({
  inputTokensAbove: z.int(),
  input: perMillion,
  output: perMillion,
  cacheRead: perMillion,
  cacheWrite: perMillion,
});

const cost = z.object({
  input: perMillion,
  output: perMillion,
  cacheRead: perMillion,
  cacheWrite: perMillion,
  tiers: z.array(tier).optional(),
});

/** A model as the package of limits tells it. */
const limitRow = z.object({
  type: z.string(),
  id: z.string(),
  name: z.string(),
  reasoning: z.boolean().default(false),
  input: z.array(z.string()),
  output: z.array(z.string()).optional(),
  cost,
  contextWindow: z.number().optional(),
  maxTokens: z.number().optional(),
});

const tiered = z.union([
  z.number(),
  z.object({ base: z.number(), tiers: z.array(z.object({ start: z.number(), price: z.number() })) }),
]);
const prices = z.record(z.string(), tiered.optional());
const constraint = z.union([
  z.object({ type: z.literal("start_date"), start_date: z.string() }),
  z.object({ type: z.literal("time_of_date"), start_time: z.string(), end_time: z.string() }),
]);

/** A model as the package of prices tells it. */
const priceRow = z.object({
  id: z.string(),
  name: z.string().optional(),
  context_window: z.int().optional(),
  deprecated: z.boolean().optional(),
  match: z.unknown(),
  prices: z.union([z.array(z.object({ constraint: constraint.optional(), prices })), prices]),
});

export const limitRows = z.record(z.string(), limitRow);
export const priceRows = z.array(priceRow);

export type LimitRow = z.output<typeof limitRow>;
export type PriceRow = z.output<typeof priceRow>;
export type Tiered = z.output<typeof tiered>;
export type Constraint = z.output<typeof constraint>;

/** The rows of one provider in each source. */
export interface Reported {
  readonly limits: readonly LimitRow[];
  readonly prices: readonly PriceRow[];
  /** By the provider's own name of the model. */
  readonly rates?: Readonly<Record<string, RateRow>>;
}

/** How a model is called in the published rates. */
export interface RateNames {
  /** Begins the row's `litellm_provider`. */
  readonly of: string;
  /** Before the provider's own name of the model; the first that is found counts. */
  readonly prefixes: readonly string[];
}

const named = (of: string, ...prefixes: readonly string[]): RateNames => ({
  of,
  prefixes: prefixes.length === 0 ? [`${of}/`] : prefixes,
});

/** A provider of the snapshot, and what the packages call it. */
export interface Listed {
  readonly id: string;
  readonly limits?: string;
  readonly prices?: string;
  /** How the published rates name its models; absent where they have none of them. */
  readonly rates?: RateNames;
  /** Whose models these are; absent for hosts of other people's models. */
  readonly author?: string;
  /** It resells what others serve, at prices of the moment. */
  readonly aggregator?: true;
  /** Its dearer prices begin at a size, where those of the others begin above it. */
  readonly inclusiveSizes?: true;
}

/** In the order in which they are asked for a model's own facts: authors first. */
export const listed: readonly Listed[] = [
  { id: "openai", limits: "openai", prices: "openai", rates: named("openai", ""), author: "openai" },
  {
    id: "anthropic",
    limits: "anthropic",
    prices: "anthropic",
    rates: named("anthropic", ""),
    author: "anthropic",
  },
  { id: "google", limits: "google", prices: "google", rates: named("gemini"), author: "google" },
  { id: "mistral", limits: "mistral", prices: "mistral", rates: named("mistral"), author: "mistralai" },
  { id: "deepseek", limits: "deepseek", prices: "deepseek", rates: named("deepseek"), author: "deepseek" },
  // docs.x.ai says "≥ 200k prompt tokens"; every other provider says "above".
  { id: "xai", limits: "xai", prices: "x-ai", rates: named("xai"), author: "x-ai", inclusiveSizes: true },
  {
    id: "moonshotai",
    limits: "moonshotai",
    prices: "moonshotai",
    rates: named("moonshot"),
    author: "moonshotai",
  },
  { id: "zai", limits: "zai", rates: named("zai"), author: "z-ai" },
  { id: "minimax", limits: "minimax", rates: named("minimax"), author: "minimax" },
  { id: "perplexity", prices: "perplexity", rates: named("perplexity"), author: "perplexity" },
  { id: "openrouter", limits: "openrouter", prices: "openrouter", aggregator: true },
  { id: "groq", limits: "groq", prices: "groq", rates: named("groq") },
  { id: "together", limits: "together", prices: "together", rates: named("together_ai") },
  { id: "fireworks", limits: "fireworks", prices: "fireworks", rates: named("fireworks_ai") },
  { id: "cerebras", limits: "cerebras", prices: "cerebras", rates: named("cerebras") },
  { id: "nvidia", limits: "nvidia" },
  {
    id: "google-vertex",
    limits: "google-vertex",
    prices: "google",
    rates: named("vertex_ai", "vertex_ai/", ""),
  },
  { id: "amazon-bedrock", limits: "amazon-bedrock", prices: "aws", rates: named("bedrock", "") },
  { id: "azure", limits: "azure", prices: "azure", rates: named("azure") },
];
