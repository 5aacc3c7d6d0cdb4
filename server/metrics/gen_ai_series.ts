/**
 * Series of calls of models, by OpenTelemetry's conventions for generative AI: one row a quantity, with its name in
 * both spellings of the conventions, so that what they rename is one word here.
 */

import type { RenamedSeries } from "./series_row.ts";
import { errorKinds, secondsOfCalls } from "./tollgate_series.ts";

const call = {
  gen_ai_operation_name: ["chat", "generate_content", "embeddings"],
  gen_ai_provider_name: "provider",
  gen_ai_request_model: "model",
} as const;

/** Powers of four, as the conventions have them. */
const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);

const histogram = { type: "histogram" } as const;
const counter = { type: "counter", labels: call } as const;
const inputHelp = "Input tokens of calls of models.";
const outputHelp = "Output tokens of calls of models.";

/** Only in the newest spelling, which counts what was one histogram before. */
const newest = (name: string) => ({ "v1.41": null, "latest": `gen_ai_client_inference_${name}` }) as const;

export const genAiSeries = {
  callDuration: {
    ...histogram,
    names: {
      "v1.41": "gen_ai_client_operation_duration_seconds",
      "latest": "gen_ai_client_inference_duration_seconds",
    },
    help: "Time of calls of models, with all their attempts, to the last word.",
    labels: { ...call, error_type: errorKinds },
    unit: "seconds",
    buckets: secondsOfCalls,
  },
  callFirstChunk: {
    ...histogram,
    names: {
      "v1.41": "gen_ai_client_operation_time_to_first_chunk_seconds",
      "latest": "gen_ai_client_inference_time_to_first_chunk_seconds",
    },
    help: "Time until the first chunk of streamed requests.",
    labels: call,
    unit: "seconds",
    buckets: secondsOfCalls,
  },
  callTokens: {
    ...histogram,
    names: { "v1.41": "gen_ai_client_token_usage", "latest": null },
    help: "Tokens of requests for models, by kind.",
    labels: { ...call, gen_ai_token_type: ["input", "output"] },
    buckets: tokens,
  },
  callInput: {
    ...histogram,
    names: newest("operation_input_tokens"),
    help: inputHelp,
    labels: call,
    buckets: tokens,
  },
  callOutput: {
    ...histogram,
    names: newest("operation_output_tokens"),
    help: outputHelp,
    labels: call,
    buckets: tokens,
  },
  usageInput: { ...counter, names: newest("usage_input_tokens"), help: inputHelp },
  usageOutput: { ...counter, names: newest("usage_output_tokens"), help: outputHelp },
  usageCacheRead: {
    ...counter,
    names: newest("usage_cache_read_input_tokens"),
    help: "Input tokens that were read from a provider's cache.",
  },
  usageCacheWrite: {
    ...counter,
    names: newest("usage_cache_write_input_tokens"),
    help: "Input tokens that were written to a provider's cache.",
  },
  usageReasoning: {
    ...counter,
    names: newest("usage_reasoning_output_tokens"),
    help: "Output tokens in which models have reasoned.",
  },
} as const satisfies Readonly<Record<string, RenamedSeries>>;

/** Operation of the conventions that calls of an API are. */
export function genAiOperation(api: string): "chat" | "generate_content" | "embeddings" {
  if (api === "embeddings") return api;
  return api === "speech" ? "generate_content" : "chat";
}

/** Names of the conventions for providers that the gateway names otherwise. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["azure-chat", "azure.ai.openai"],
  ["azure-tts", "azure.ai.openai"],
  ["google", "gcp.gemini"],
  ["google-vertex", "gcp.vertex_ai"],
  ["google-vertex/claude", "gcp.vertex_ai"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
  ["moonshotai", "moonshot_ai"],
]);

/** Name of a provider by the conventions, by its id. */
export const genAiProviderName = (id: string): string => providerNames.get(id) ?? id;
