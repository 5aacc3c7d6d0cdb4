/**
 * Anthropic, on its own wire. Context, caps and prices as Anthropic published them in November 2026, in USD per
 * million tokens. Models that it does not know work as `anthropic/<model>`, without a price.
 */

import type { PriceList, PriceOverride } from "../../../shared/models.ts";
import type { Model } from "../endpoint.ts";
import { type ModelDefinition, perToken, type ProviderDefinition } from "./provider_row.ts";

/** Facts that a family of models has in common. */
interface Family {
  readonly context: number;
  readonly output: number;
  readonly parameters: readonly string[];
}

const common = [
  "include_reasoning",
  "max_tokens",
  "parallel_tool_calls",
  "reasoning",
  "response_format",
  "stop",
  "structured_outputs",
  "tool_choice",
  "tools",
];
const samples = [...common, "temperature", "top_k", "top_p"];

const million: Family = { context: 1_000_000, output: 128_000, parameters: common };
const millionSampled: Family = { ...million, parameters: samples };
const earlier: Family = { context: 200_000, output: 64_000, parameters: samples };

/** USD per million tokens. A prompt is written to the cache for five minutes or for an hour. */
type Prices = readonly [
  input: string,
  cacheRead: string,
  cacheWrite: string,
  cacheWrite1h: string,
  output: string,
];

interface Row {
  readonly slug: string;
  /** Day of release, UTC. */
  readonly released: string;
  readonly family: Family;
  readonly prices: Prices;
  /** Prices of all tokens of a request whose prompt is longer than so many. */
  readonly longer?: readonly [tokens: number, prices: Prices];
}

const fable: Prices = ["10", "1", "12.5", "20", "50"];
const opus: Prices = ["5", "0.5", "6.25", "10", "25"];
const sonnet: Prices = ["3", "0.3", "3.75", "6", "15"];

const rows: readonly Row[] = [
  {
    slug: "fable-5.1",
    released: "2026-09-01",
    family: million,
    prices: ["10", "0.25", "12.5", "20", "50"],
  },
  { slug: "fable-5", released: "2026-06-09", family: million, prices: fable },
  { slug: "opus-5.5", released: "2026-09-22", family: million, prices: ["4", "0.2", "5", "8", "20"] },
  { slug: "opus-5", released: "2026-07-24", family: million, prices: opus },
  { slug: "opus-4.8", released: "2026-05-28", family: million, prices: opus },
  { slug: "opus-4.7", released: "2026-04-16", family: million, prices: opus },
  { slug: "opus-4.6", released: "2026-02-05", family: millionSampled, prices: opus },
  { slug: "opus-4.5", released: "2025-11-24", family: earlier, prices: opus },
  { slug: "sonnet-5.5", released: "2026-09-28", family: million, prices: ["2", "0.1", "2.5", "4", "10"] },
  { slug: "sonnet-5", released: "2026-06-30", family: million, prices: ["2", "0.2", "2.5", "4", "10"] },
  { slug: "sonnet-4.6", released: "2026-02-17", family: millionSampled, prices: sonnet },
  { slug: "sonnet-4.5", released: "2025-09-29", family: earlier, prices: sonnet },
  {
    slug: "haiku-5.5",
    released: "2026-10-07",
    family: million,
    prices: ["0.1", "0.01", "0.125", "0.2", "0.5"],
    longer: [100_000, ["0.5", "0.05", "0.625", "1", "2.5"]],
  },
  { slug: "haiku-4.5", released: "2025-10-15", family: earlier, prices: ["1", "0.1", "1.25", "2", "5"] },
];

function toPrices([input, cacheRead, cacheWrite, cacheWrite1h, output]: Prices): PriceList {
  return {
    prompt: perToken(input),
    completion: perToken(output),
    inputCacheRead: perToken(cacheRead),
    inputCacheWrite: perToken(cacheWrite),
    inputCacheWrite1h: perToken(cacheWrite1h),
  };
}

function overridesOf({ longer }: Row): readonly PriceOverride[] | undefined {
  return longer && [{ ...toPrices(longer[1]), minPromptTokens: longer[0] }];
}

/** `Claude Opus 5.5` */
const nameOf = (slug: string) =>
  `Claude ${slug.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ")}`;

/** Callers know models by the version with a point; the catalog finds them by the provider's own spelling too. */
function toModelData(row: Row): ModelDefinition {
  const { slug, released, family } = row;
  const upstreamModel = `claude-${slug.replace(".", "-")}`;
  const model: Model = {
    id: `anthropic/claude-${slug}`,
    name: `Anthropic: ${nameOf(slug)}`,
    created: Date.parse(released) / 1_000,
    contextLength: family.context,
    inputModalities: ["text", "image", "file"],
    outputModalities: ["text"],
    supportedParameters: family.parameters,
    tokenizer: "Claude",
    hidden: false,
  };
  const overrides = overridesOf(row);
  const pricing: PriceList = { ...toPrices(row.prices), ...(overrides === undefined ? {} : { overrides }) };
  return { model, upstreamModel, maxOutputTokens: family.output, pricing };
}

export const anthropic: ProviderDefinition = {
  id: "anthropic",
  name: "Anthropic",
  wire: "messages",
  keyEnv: "ANTHROPIC_API_KEY",
  baseUrlEnv: "ANTHROPIC_BASE_URL",
  on: "key",
  defaultBaseUrl: "https://api.anthropic.com/v1",
  // What changes the price (speed, inference_geo, container) is not in the table above, so it is not passed on.
  quirks: { passKeys: ["context_management"] },
  open: true,
  models: rows.map(toModelData),
};
