/**
 * Servers that speak Chat Completions, a row each. Their models are whatever somebody has loaded into them, so
 * every row is open: `ollama/llama3.3` is sent on as `llama3.3`.
 */

import type { HostTrait } from "../../protocols/canonical/endpoint_words.ts";
import type { EndpointQuirks } from "../endpoint.ts";
import type { ProviderDefinition } from "./provider_row.ts";
import { maxTokens, openAisOwn, openSampling, threeEfforts } from "./usual_quirks.ts";

/** Quirks that servers of one's own have in common. Keys that only a hosted service understands are not sent. */
const homely: EndpointQuirks = {
  developerRole: "system",
  rename: maxTokens,
  omit: openAisOwn,
};

interface Server {
  readonly id: string;
  readonly name: string;
  /** Begins its variables: `<PREFIX>_BASE_URL`, `<PREFIX>_API_KEY`. */
  readonly prefix: string;
  readonly defaultBaseUrl?: string;
  /** Where it differs from the others. */
  readonly quirks?: EndpointQuirks;
}

/** Chat templates of many models take a system message in front, and fail on any other. */
const templated: readonly HostTrait[] = ["system_first"];

const servers: readonly Server[] = [
  {
    id: "ollama",
    name: "Ollama",
    prefix: "OLLAMA",
    defaultBaseUrl: "http://127.0.0.1:11434/v1",
    quirks: {
      reasoningReplay: "reasoning",
      efforts: threeEfforts,
    },
  },
  {
    id: "vllm",
    name: "vLLM",
    prefix: "VLLM",
    defaultBaseUrl: "http://127.0.0.1:8000/v1",
    quirks: {
      passKeys: [...openSampling, "chat_template_kwargs", "structured_outputs"],
      traits: templated,
      reasoningReplay: "reasoning",
    },
  },
  {
    id: "sglang",
    name: "SGLang",
    prefix: "SGLANG",
    defaultBaseUrl: "http://127.0.0.1:30000/v1",
    quirks: {
      passKeys: [...openSampling, "chat_template_kwargs", "separate_reasoning"],
      traits: [...templated, "think_tags"],
      reasoningReplay: "reasoning_content",
    },
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    prefix: "LMSTUDIO",
    defaultBaseUrl: "http://127.0.0.1:1234/v1",
    quirks: {
      passKeys: ["top_k", "repeat_penalty", "ttl"],
      traits: [...templated, "no_named_choice", "no_json_object", "think_tags"],
    },
  },
  {
    id: "llamacpp",
    name: "llama.cpp",
    prefix: "LLAMACPP",
    defaultBaseUrl: "http://127.0.0.1:8080/v1",
    quirks: {
      passKeys: ["top_k", "min_p", "cache_prompt", "chat_template_kwargs"],
      traits: [...templated, "think_tags"],
      reasoningReplay: "reasoning_content",
    },
  },
  { id: "compatible", name: "another OpenAI-compatible server", prefix: "OPENAI_COMPATIBLE" },
];

function toRow({ id, name, prefix, defaultBaseUrl, quirks }: Server): ProviderDefinition {
  return {
    id,
    name,
    wire: "chat",
    keyEnv: `${prefix}_API_KEY`,
    baseUrlEnv: `${prefix}_BASE_URL`,
    on: "base_url",
    defaultBaseUrl,
    quirks: { ...homely, ...quirks },
    open: true,
    isOwn: true,
    models: [],
  };
}

export const compatibleServers: readonly ProviderDefinition[] = servers.map(toRow);
