/**
 * Google's Gemini API, on its own wire. Context, caps and prices as Google published them on 21 November 2026, in
 * USD per million tokens: standard tier, up to 200,000 tokens of input where longer ones cost more. Models that it does
 * not know work as `google/<model>`, without a price.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { Model, Pricing } from "../endpoint.ts";
import { type ModelDefinition, perToken, type ProviderDefinition } from "./provider_row.ts";
import { embeddingModels } from "./embedding_models.ts";
import { speechModels } from "./speech_models.ts";

/** Facts that a family of models has in common. */
interface Family {
  readonly context: number;
  readonly output: number;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly parameters: readonly string[];
}

const common = ["max_tokens", "response_format", "structured_outputs", "tool_choice", "tools"];
const samples = [...common, "logprobs", "temperature", "top_k", "top_logprobs", "top_p"];
const penalties = ["frequency_penalty", "presence_penalty"];
const thinks = ["include_reasoning", "reasoning"];

const fourth: Family = {
  context: 1_048_576,
  output: 65_536,
  inputs: ["text", "image", "file", "audio", "video"],
  outputs: ["text"],
  parameters: [...samples, ...thinks],
};
const third: Family = { ...fourth, parameters: [...samples, ...penalties, ...thinks] };
const gemma: Family = {
  ...third,
  context: 262_144,
  output: 32_768,
  inputs: ["text", "image"],
  parameters: samples,
};
const draws: Family = {
  context: 65_536,
  output: 32_768,
  inputs: ["text", "image"],
  outputs: ["text", "image"],
  parameters: ["max_tokens", "temperature", "top_p"],
};

/** Prices are USD per million tokens; null where the prompt cache has none of its own. */
type Row = readonly [
  slug: string,
  name: string,
  /** Day of release, UTC. */
  released: string,
  family: Family,
  input: string,
  cacheRead: string | null,
  output: string,
  /** Price of image tokens of a model that draws; its other tokens are text. */
  imageOutput?: string,
];

const rows: readonly Row[] = [
  ["gemini-4-neon", "Gemini 4 Neon", "2026-11-18", fourth, "3", "0.15", "15"],
  ["gemini-4-hydrogen", "Gemini 4 Hydrogen", "2026-11-12", fourth, "1.5", "0.075", "7.5"],
  ["gemini-4-carbon", "Gemini 4 Carbon", "2026-11-10", fourth, "2", "0.1", "10"],
  ["gemini-4-argon", "Gemini 4 Argon", "2026-10-13", fourth, "2", "0.1", "10"],
  ["gemini-3.8-flash", "Gemini 3.8 Flash", "2026-09-15", third, "0.75", "0.075", "3.75"],
  ["gemini-3.7-flash", "Gemini 3.7 Flash", "2026-08-12", third, "0.75", "0.075", "3.75"],
  ["gemini-3.6-flash", "Gemini 3.6 Flash", "2026-07-14", third, "0.75", "0.075", "3.75"],
  ["gemini-3.5-flash", "Gemini 3.5 Flash", "2026-05-19", third, "1.5", "0.15", "9"],
  ["gemini-3.5-flash-lite", "Gemini 3.5 Flash Lite", "2026-06-16", third, "0.3", "0.03", "2.5"],
  ["gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", "2026-02-19", third, "2", "0.2", "12"],
  ["gemini-3.1-flash-lite", "Gemini 3.1 Flash Lite", "2026-03-03", third, "0.25", "0.025", "1.5"],
  ["gemini-3-flash-preview", "Gemini 3 Flash Preview", "2025-12-17", third, "0.5", "0.05", "3"],
  ["gemini-2.5-pro", "Gemini 2.5 Pro", "2025-06-17", third, "1.25", "0.125", "10"],
  ["gemini-2.5-flash", "Gemini 2.5 Flash", "2025-06-17", third, "0.3", "0.03", "2.5"],
  ["gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite", "2025-07-22", third, "0.1", "0.01", "0.4"],
  ["gemini-3-pro-image", "Gemini 3 Pro Image", "2025-11-20", draws, "2", null, "12", "120"],
  ["gemini-3.1-flash-image", "Gemini 3.1 Flash Image", "2026-02-26", draws, "0.5", null, "3", "60"],
  [
    "gemini-3.1-flash-lite-image",
    "Gemini 3.1 Flash Lite Image",
    "2026-06-30",
    draws,
    "0.25",
    null,
    "1.5",
    "30",
  ],
  ["gemini-2.5-flash-image", "Gemini 2.5 Flash Image", "2025-10-02", draws, "0.3", null, "2.5", "30"],
  ["gemma-4-31b-it", "Gemma 4 31B", "2026-04-02", gemma, "0", null, "0"],
  ["gemma-4-26b-a4b-it", "Gemma 4 26B A4B", "2026-04-02", gemma, "0", null, "0"],
];

/** Days on which introductory prices end: from then on everything costs twice as much. */
const doubles: Readonly<Record<string, string>> = {
  "gemini-4-argon": "2026-12-01",
  "gemini-4-carbon": "2026-12-01",
  "gemini-3.8-flash": "2027-01-01",
  "gemini-3.7-flash": "2027-01-01",
  "gemini-3.6-flash": "2027-01-01",
};

const twice = (perMillion: string): string => perToken(String(Number(perMillion) * 2));

function toModelData(
  [slug, name, released, family, input, cacheRead, output, imageOutput]: Row,
): ModelDefinition {
  const model: Model = {
    id: `google/${slug}`,
    name: `Google: ${name}`,
    created: Date.parse(released) / 1_000,
    contextLength: family.context,
    inputModalities: family.inputs,
    outputModalities: family.outputs,
    supportedParameters: family.parameters,
    tokenizer: "Gemini",
    hidden: false,
  };
  const from = ownValue(doubles, slug);
  const overrides = from === undefined ? undefined : [{
    from,
    prompt: twice(input),
    completion: twice(output),
    inputCacheRead: cacheRead === null ? undefined : twice(cacheRead),
  }];
  const pricing: Pricing = {
    prompt: perToken(input),
    completion: perToken(output),
    inputCacheRead: cacheRead === null ? undefined : perToken(cacheRead),
    imageOutput: imageOutput === undefined ? undefined : perToken(imageOutput),
    overrides,
  };
  return { model, upstreamModel: slug, maxOutputTokens: family.output, pricing };
}

/** Named as its models' author, so that `google/<anything>` finds it. */
export const geminiProvider: ProviderDefinition = {
  id: "google",
  name: "Google AI Studio",
  wire: "gemini",
  speech: "gemini",
  keyEnv: "GEMINI_API_KEY",
  baseUrlEnv: "GEMINI_BASE_URL",
  on: "key",
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  quirks: {},
  open: true,
  models: [...rows.map(toModelData), ...speechModels.google, ...embeddingModels.google],
};
