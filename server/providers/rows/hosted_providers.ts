/**
 * Hosted services that speak Chat Completions, a row each: switched on by their key, and open, so that
 * `groq/<model>` is sent on as `<model>`. What a row says of its service is what the service documents, or
 * answers when it is asked; keys that it would refuse are left out and told in the routing metadata.
 */

import type { EndpointQuirks } from "../endpoint.ts";
import type { SpeechDialectId } from "../../protocols/canonical/speech.ts";
import type { ModelDefinition, ProviderDefinition } from "./provider_row.ts";
import { except, maxTokens, openAisOwn, openSampling, threeEfforts } from "./usual_quirks.ts";
import { embeddingModels } from "./embedding_models.ts";
import { speechModels } from "./speech_models.ts";

interface Host {
  readonly id: string;
  readonly name: string;
  /** Begins its variables: `<PREFIX>_API_KEY`, `<PREFIX>_BASE_URL`. */
  readonly prefix: string;
  readonly baseUrl: string;
  readonly quirks: EndpointQuirks;
  /** See Provider. */
  readonly reportsCost?: boolean;
  /** Where it is not asked to speak as OpenAI is. */
  readonly speech?: SpeechDialectId;
  /** Models that are known; any other is sent on by its name. */
  readonly models?: readonly ModelDefinition[];
}

const hosts: readonly Host[] = [
  {
    id: "groq",
    name: "Groq",
    prefix: "GROQ",
    models: speechModels.groq,
    baseUrl: "https://api.groq.com/openai/v1",
    quirks: {
      omit: [...except("service_tier"), "logit_bias", "logprobs", "top_logprobs"],
      // Its voices are directed by words in brackets inside of the text.
      speechOmit: ["instructions"],
      passKeys: ["reasoning_format", "include_reasoning"],
      developerRole: "system",
      reasoningReplay: "reasoning",
      serviceTiers: { auto: "auto", default: "on_demand", flex: "flex", priority: "performance" },
      traits: ["published_fields"],
      efforts: threeEfforts,
    },
  },
  {
    id: "mistral",
    name: "Mistral",
    prefix: "MISTRAL",
    speech: "mistral",
    models: [...speechModels.mistral, ...embeddingModels.mistral],
    baseUrl: "https://api.mistral.ai/v1",
    quirks: {
      // It refuses whatever it does not know (`extra_forbidden`), and counts without being asked to.
      omit: [...openAisOwn, "logit_bias", "logprobs", "modalities", "stream_options", "top_logprobs"],
      rename: { ...maxTokens, seed: "random_seed", dimensions: "output_dimension" },
      passKeys: ["prompt_mode", "safe_prompt"],
      developerRole: "system",
      traits: ["prefix_last", "published_fields", "no_names", "short_call_ids", "answered_tools"],
      efforts: { minimal: "none", low: "none", medium: "high", xhigh: "high", max: "high" },
    },
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    prefix: "DEEPSEEK",
    baseUrl: "https://api.deepseek.com/v1",
    quirks: {
      omit: [...openAisOwn, "logit_bias", "modalities", "parallel_tool_calls", "seed"],
      rename: maxTokens,
      developerRole: "system",
      // With tools in play it refuses a conversation whose thoughts are missing, without them it ignores them.
      reasoningReplay: "reasoning_content",
      traits: ["call_reasoning_blank", "no_json_schema", "thinking_switch"],
    },
  },
  {
    id: "xai",
    name: "xAI",
    prefix: "XAI",
    baseUrl: "https://api.x.ai/v1",
    quirks: {
      omit: [...openAisOwn, "logit_bias"],
      passKeys: ["search_parameters", "deferred"],
      developerRole: "system",
      efforts: threeEfforts,
    },
  },
  {
    id: "together",
    name: "Together",
    prefix: "TOGETHER",
    baseUrl: "https://api.together.xyz/v1",
    quirks: {
      omit: openAisOwn,
      rename: maxTokens,
      passKeys: [...openSampling, "safety_model", "chat_template_kwargs"],
      developerRole: "system",
      reasoningReplay: "reasoning",
      efforts: threeEfforts,
    },
  },
  {
    id: "fireworks",
    name: "Fireworks",
    prefix: "FIREWORKS",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    quirks: {
      omit: except("service_tier", "prompt_cache_key"),
      rename: maxTokens,
      passKeys: [...openSampling, "reasoning_history", "prompt_truncate_len"],
      developerRole: "system",
      reasoningReplay: "reasoning_content",
      serviceTiers: { priority: "priority" },
      traits: ["published_fields"],
      efforts: { minimal: "low" },
    },
  },
  {
    id: "cerebras",
    name: "Cerebras",
    prefix: "CEREBRAS",
    baseUrl: "https://api.cerebras.ai/v1",
    quirks: {
      omit: [...openAisOwn, "frequency_penalty", "logit_bias", "presence_penalty"],
      passKeys: ["reasoning_format", "disable_reasoning", "clear_thinking"],
      developerRole: "system",
      reasoningReplay: "reasoning",
      traits: ["published_fields"],
      efforts: threeEfforts,
    },
  },
  {
    id: "perplexity",
    name: "Perplexity",
    prefix: "PERPLEXITY",
    baseUrl: "https://api.perplexity.ai",
    quirks: {
      omit: [
        ...openAisOwn,
        "logit_bias",
        "logprobs",
        "seed",
        "stop",
        "stream_options",
        "top_logprobs",
      ],
      rename: maxTokens,
      passKeys: [
        "top_k",
        "search_mode",
        "search_domain_filter",
        "search_recency_filter",
        "search_after_date_filter",
        "search_before_date_filter",
        "web_search_options",
        "disable_search",
        "return_images",
        "return_related_questions",
      ],
      developerRole: "system",
      traits: ["system_first", "alternating_turns", "user_last", "think_tags", "no_tools"],
      efforts: threeEfforts,
    },
  },
  {
    id: "nvidia",
    name: "NVIDIA",
    prefix: "NVIDIA",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    quirks: {
      omit: openAisOwn,
      rename: maxTokens,
      passKeys: [...openSampling, "chat_template_kwargs", "nvext"],
      developerRole: "system",
      traits: ["think_tags"],
      efforts: threeEfforts,
    },
  },
  {
    id: "moonshotai",
    name: "Moonshot AI",
    prefix: "MOONSHOT",
    baseUrl: "https://api.moonshot.ai/v1",
    quirks: {
      omit: [
        ...except("prompt_cache_key", "safety_identifier"),
        "logit_bias",
        "logprobs",
        "parallel_tool_calls",
        "top_logprobs",
      ],
      developerRole: "system",
      reasoningReplay: "reasoning_content",
      // It takes a blank one for none.
      traits: ["call_reasoning_text", "thinking_switch"],
      efforts: { minimal: "low", medium: "high", xhigh: "max" },
    },
  },
  {
    id: "z-ai",
    name: "Z.ai",
    prefix: "ZAI",
    baseUrl: "https://api.z.ai/api/paas/v4",
    quirks: {
      omit: [
        ...openAisOwn,
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "parallel_tool_calls",
        "presence_penalty",
        "seed",
        "top_logprobs",
      ],
      rename: maxTokens,
      passKeys: ["do_sample", "tool_stream"],
      developerRole: "system",
      reasoningReplay: "reasoning_content",
      traits: ["no_json_schema", "auto_choice_only", "thinking_switch"],
    },
  },
  {
    id: "sambanova",
    name: "SambaNova",
    prefix: "SAMBANOVA",
    baseUrl: "https://api.sambanova.ai/v1",
    quirks: {
      omit: [...openAisOwn, "frequency_penalty", "logit_bias", "presence_penalty", "seed"],
      rename: maxTokens,
      passKeys: ["top_k", "chat_template_kwargs"],
      developerRole: "system",
      traits: ["think_tags"],
      efforts: threeEfforts,
    },
  },
  {
    id: "hyperbolic",
    name: "Hyperbolic",
    prefix: "HYPERBOLIC",
    baseUrl: "https://api.hyperbolic.xyz/v1",
    quirks: {
      omit: openAisOwn,
      rename: maxTokens,
      passKeys: openSampling,
      developerRole: "system",
      traits: ["think_tags"],
      efforts: threeEfforts,
    },
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    prefix: "OPENROUTER",
    baseUrl: "https://openrouter.ai/api/v1",
    reportsCost: true,
    quirks: {
      omit: except("prompt_cache_key", "service_tier", "verbosity"),
      rename: maxTokens,
      passKeys: [...openSampling, "image_config", "top_a", "transforms", "web_search_options"],
      developerRole: "system",
      reasoningReplay: "reasoning_details",
      traits: ["reasoning_object"],
    },
  },
];

function toRow({ prefix, baseUrl, models = [], quirks, ...host }: Host): ProviderDefinition {
  return {
    ...host,
    // Gateways that have models of Google's take their signatures among the details of thoughts.
    quirks: { ...quirks, traits: [...quirks.traits ?? [], "no_call_signatures"] },
    wire: "chat",
    keyEnv: `${prefix}_API_KEY`,
    baseUrlEnv: `${prefix}_BASE_URL`,
    on: "key",
    defaultBaseUrl: baseUrl,
    open: true,
    models,
  };
}

export const hostedProviders: readonly ProviderDefinition[] = hosts.map(toRow);
