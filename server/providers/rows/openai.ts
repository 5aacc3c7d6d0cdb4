/**
 * OpenAI, on its own wire. Context, caps and prices as OpenAI published them at the end of October 2026, in USD
 * per million tokens; what it charges beyond 272,000 tokens of input, and for priority, is not in this table.
 * Models that it does not know work as `openai/<model>`, without a price.
 */

import type { Model, Pricing } from "../endpoint.ts";
import { type ModelDefinition, perToken, type ProviderDefinition } from "./provider_row.ts";
import { embeddingModels } from "./embedding_models.ts";
import { speechModels } from "./speech_models.ts";

/** Facts that a family of models has in common. */
interface Family {
  readonly context: number;
  readonly output: number;
  readonly inputs: readonly string[];
  readonly parameters: readonly string[];
}

const common = [
  "max_tokens",
  "parallel_tool_calls",
  "response_format",
  "structured_outputs",
  "tool_choice",
  "tools",
];
const thinks = [...common, "include_reasoning", "reasoning", "verbosity"];
const samples = [...common, "logprobs", "temperature", "top_logprobs", "top_p"];
const documents = ["text", "image", "file"];

const million: Family = { context: 1_050_000, output: 128_000, inputs: documents, parameters: thinks };
const gpt5: Family = { context: 400_000, output: 128_000, inputs: documents, parameters: thinks };
const gpt5Pro: Family = { ...gpt5, output: 272_000 };
const oSeries: Family = { context: 200_000, output: 100_000, inputs: documents, parameters: thinks };
const gpt41: Family = { context: 1_047_576, output: 32_768, inputs: documents, parameters: samples };
const gpt4o: Family = { context: 128_000, output: 16_384, inputs: documents, parameters: samples };

/** Prices are USD per million tokens; null where the prompt cache has none of its own. */
type Row = readonly [
  slug: string,
  name: string,
  /** Day of release, UTC. */
  released: string,
  family: Family,
  input: string,
  cacheRead: string | null,
  cacheWrite: string | null,
  output: string,
];

const rows: readonly Row[] = [
  ["gpt-6.1-sol", "GPT-6.1 Sol", "2026-09-29", million, "2", "0.1", "2.5", "10"],
  ["gpt-6.1-terra", "GPT-6.1 Terra", "2026-10-26", million, "1", "0.05", "1.25", "5"],
  ["gpt-6-astra", "GPT-6 Astra", "2026-09-22", million, "10", "1", "12.5", "50"],
  ["gpt-6-sol", "GPT-6 Sol", "2026-09-22", million, "2", "0.2", "2.5", "10"],
  ["gpt-6-luna", "GPT-6 Luna", "2026-09-22", million, "0.1", "0.01", "0.125", "0.5"],
  ["gpt-5.6-sol", "GPT-5.6 Sol", "2026-07-09", million, "4", "0.4", "5", "20"],
  ["gpt-5.6-terra", "GPT-5.6 Terra", "2026-07-09", million, "2", "0.2", "2.5", "12"],
  ["gpt-5.6-luna", "GPT-5.6 Luna", "2026-07-09", million, "0.2", "0.02", "0.25", "1.2"],
  ["gpt-5.5", "GPT-5.5", "2026-04-23", million, "5", "0.5", null, "30"],
  ["gpt-5.5-pro", "GPT-5.5 Pro", "2026-04-23", million, "30", null, null, "180"],
  ["gpt-5.4", "GPT-5.4", "2026-03-05", million, "2.5", "0.25", null, "15"],
  ["gpt-5.4-pro", "GPT-5.4 Pro", "2026-03-05", million, "30", null, null, "180"],
  ["gpt-5.4-mini", "GPT-5.4 Mini", "2026-03-17", gpt5, "0.75", "0.075", null, "4.5"],
  ["gpt-5.4-nano", "GPT-5.4 Nano", "2026-03-17", gpt5, "0.2", "0.02", null, "1.25"],
  ["gpt-5.3-codex", "GPT-5.3 Codex", "2026-02-05", gpt5, "1.75", "0.175", null, "14"],
  ["gpt-5.2", "GPT-5.2", "2025-12-11", gpt5, "1.75", "0.175", null, "14"],
  ["gpt-5.2-pro", "GPT-5.2 Pro", "2025-12-11", gpt5, "21", null, null, "168"],
  ["gpt-5.1", "GPT-5.1", "2025-11-13", gpt5, "1.25", "0.125", null, "10"],
  ["gpt-5", "GPT-5", "2025-08-07", gpt5, "1.25", "0.125", null, "10"],
  ["gpt-5-pro", "GPT-5 Pro", "2025-10-06", gpt5Pro, "15", null, null, "120"],
  ["gpt-5-mini", "GPT-5 Mini", "2025-08-07", gpt5, "0.25", "0.025", null, "2"],
  ["gpt-5-nano", "GPT-5 Nano", "2025-08-07", gpt5, "0.05", "0.005", null, "0.4"],
  ["o3", "o3", "2025-04-16", oSeries, "2", "0.5", null, "8"],
  ["o3-pro", "o3 Pro", "2025-06-10", oSeries, "20", null, null, "80"],
  ["o4-mini", "o4 Mini", "2025-04-16", oSeries, "1.1", "0.275", null, "4.4"],
  ["gpt-4.1", "GPT-4.1", "2025-04-14", gpt41, "2", "0.5", null, "8"],
  ["gpt-4.1-mini", "GPT-4.1 Mini", "2025-04-14", gpt41, "0.4", "0.1", null, "1.6"],
  ["gpt-4.1-nano", "GPT-4.1 Nano", "2025-04-14", gpt41, "0.1", "0.025", null, "0.4"],
  ["gpt-4o", "GPT-4o", "2024-05-13", gpt4o, "2.5", "1.25", null, "10"],
  ["gpt-4o-mini", "GPT-4o Mini", "2024-07-18", gpt4o, "0.15", "0.075", null, "0.6"],
];

function toModelData(
  [slug, name, released, family, input, cacheRead, cacheWrite, output]: Row,
): ModelDefinition {
  const { context, inputs, parameters } = family;
  const model: Model = {
    id: `openai/${slug}`,
    name: `OpenAI: ${name}`,
    created: Date.parse(released) / 1_000,
    contextLength: context,
    inputModalities: inputs,
    outputModalities: ["text"],
    supportedParameters: parameters,
    tokenizer: "GPT",
    hidden: false,
  };
  const pricing: Pricing = {
    prompt: perToken(input),
    completion: perToken(output),
    inputCacheRead: cacheRead === null ? undefined : perToken(cacheRead),
    inputCacheWrite: cacheWrite === null ? undefined : perToken(cacheWrite),
  };
  return { model, upstreamModel: slug, maxOutputTokens: family.output, pricing };
}

export const openaiProvider: ProviderDefinition = {
  id: "openai",
  name: "OpenAI",
  wire: "responses",
  keyEnv: "OPENAI_API_KEY",
  baseUrlEnv: "OPENAI_BASE_URL",
  on: "key",
  defaultBaseUrl: "https://api.openai.com/v1",
  quirks: { passKeys: ["stream_options", "prompt_cache_retention", "context_management"] },
  open: true,
  models: [...rows.map(toModelData), ...speechModels.openai, ...embeddingModels.openai],
};
