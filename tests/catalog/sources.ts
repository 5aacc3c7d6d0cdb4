/** What the two packages say, read with a schema of what is used of them. */

import * as z from "zod";

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

/** The rows of one provider in both packages. */
export interface Told {
  readonly limits: readonly LimitRow[];
  readonly prices: readonly PriceRow[];
}

/** A provider of the snapshot, and what the packages call it. */
export interface Listed {
  readonly id: string;
  readonly limits?: string;
  readonly prices?: string;
  /** Whose models these are; absent for hosts of other people's models. */
  readonly author?: string;
}

/** In the order in which they are asked for a model's own facts: authors first. */
export const listed: readonly Listed[] = [
  { id: "openai", limits: "openai", prices: "openai", author: "openai" },
  { id: "anthropic", limits: "anthropic", prices: "anthropic", author: "anthropic" },
  { id: "google", limits: "google", prices: "google", author: "google" },
  { id: "mistral", limits: "mistral", prices: "mistral", author: "mistralai" },
  { id: "deepseek", limits: "deepseek", prices: "deepseek", author: "deepseek" },
  { id: "xai", limits: "xai", prices: "x-ai", author: "x-ai" },
  { id: "moonshotai", limits: "moonshotai", prices: "moonshotai", author: "moonshotai" },
  { id: "zai", limits: "zai", author: "z-ai" },
  { id: "minimax", limits: "minimax", author: "minimax" },
  { id: "perplexity", prices: "perplexity", author: "perplexity" },
  { id: "openrouter", limits: "openrouter", prices: "openrouter" },
  { id: "groq", limits: "groq", prices: "groq" },
  { id: "together", limits: "together", prices: "together" },
  { id: "fireworks", limits: "fireworks", prices: "fireworks" },
  { id: "cerebras", limits: "cerebras", prices: "cerebras" },
  { id: "nvidia", limits: "nvidia" },
  { id: "google-vertex", limits: "google-vertex", prices: "google" },
  { id: "amazon-bedrock", limits: "amazon-bedrock", prices: "aws" },
  { id: "azure", limits: "azure", prices: "azure" },
];
