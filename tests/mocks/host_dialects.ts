/**
 * The services and servers that speak Chat Completions, as they are on the wire: which keys they take, where they
 * put thoughts and counts. Written down apart from the rows of `server/providers/`, which must agree with it.
 */

import type { Json } from "./published.ts";

export interface HostDialect {
  readonly id: string;
  /** Begins its variables. */
  readonly prefix: string;
  /** Its key for the most tokens of an answer. */
  readonly cap: "max_tokens" | "max_completion_tokens";
  /** Keys that it takes besides those that all take; any other is refused. */
  readonly takes: readonly string[];
  /** How it is asked to think hard. */
  readonly requested: Json;
  /** Where its thoughts stand in an answer. */
  readonly thoughts: "reasoning_content" | "reasoning" | "reasoning_details" | "tags" | "parts";
  /** Where it wants them back; absent: nowhere. */
  readonly replays?: "reasoning_content" | "reasoning" | "reasoning_details";
  /** `asked`: in a last chunk, when asked for; `chunk`: in the last chunk anyway; else by the field's name. */
  readonly counts: "asked" | "chunk" | "choice" | "x_groq";
  /** Counts thoughts beside the answer and not in it. */
  readonly countsBeside?: true;
  /** Takes only ids of calls that look so. */
  readonly callId?: RegExp;
  /** `false`: it knows no tools; `auto`: it cannot be told to call one. */
  readonly tools?: false | "auto";
  /** Knows `json_object` only. */
  readonly jsonModeOnly?: true;
  /** Names the pages that it has read. */
  readonly searches?: true;
}

/** Keys that every one of them takes. */
export const everywhere = [
  "model",
  "messages",
  "stream",
  "temperature",
  "top_p",
  "response_format",
];

const tools = ["tools", "tool_choice"];
const effort = ["reasoning_effort"];
const samples = ["frequency_penalty", "presence_penalty", "seed", "stop"];
const fallback = [...tools, ...effort, ...samples, "stream_options", "parallel_tool_calls"];
const open = [...fallback, "top_k", "min_p", "repetition_penalty", "logit_bias", "logprobs", "top_logprobs"];
const high = { reasoning_effort: "high" };
const switched = { thinking: { type: "enabled" }, reasoning_effort: "high" };
const usualHost = { cap: "max_tokens", requested: high, counts: "asked" } as const;

export const hostDialects: readonly HostDialect[] = [
  {
    ...usualHost,
    id: "groq",
    prefix: "GROQ",
    cap: "max_completion_tokens",
    takes: [...fallback, "service_tier"],
    thoughts: "reasoning",
    replays: "reasoning",
    counts: "x_groq",
  },
  {
    ...usualHost,
    id: "mistral",
    prefix: "MISTRAL",
    takes: [
      ...tools,
      ...effort,
      "random_seed",
      "stop",
      "frequency_penalty",
      "presence_penalty",
      "parallel_tool_calls",
    ],
    thoughts: "parts",
    counts: "chunk",
    callId: /^[a-zA-Z0-9]{9}$/,
  },
  {
    ...usualHost,
    id: "deepseek",
    prefix: "DEEPSEEK",
    takes: [
      ...tools,
      ...effort,
      "frequency_penalty",
      "presence_penalty",
      "stop",
      "stream_options",
      "thinking",
      "logprobs",
    ],
    requested: switched,
    thoughts: "reasoning_content",
    replays: "reasoning_content",
    jsonModeOnly: true,
  },
  {
    ...usualHost,
    id: "xai",
    prefix: "XAI",
    cap: "max_completion_tokens",
    takes: fallback,
    thoughts: "reasoning_content",
    countsBeside: true,
  },
  {
    ...usualHost,
    id: "together",
    prefix: "TOGETHER",
    takes: open,
    thoughts: "reasoning",
    replays: "reasoning",
  },
  {
    ...usualHost,
    id: "fireworks",
    prefix: "FIREWORKS",
    takes: [...open, "service_tier", "prompt_cache_key"],
    thoughts: "reasoning_content",
    replays: "reasoning_content",
  },
  {
    ...usualHost,
    id: "cerebras",
    prefix: "CEREBRAS",
    cap: "max_completion_tokens",
    takes: [...tools, ...effort, "seed", "stop", "stream_options", "parallel_tool_calls", "logprobs"],
    thoughts: "reasoning",
    replays: "reasoning",
  },
  {
    ...usualHost,
    id: "perplexity",
    prefix: "PERPLEXITY",
    takes: [...effort, "frequency_penalty", "presence_penalty", "top_k"],
    thoughts: "tags",
    counts: "chunk",
    tools: false,
    searches: true,
  },
  { ...usualHost, id: "nvidia", prefix: "NVIDIA", takes: open, thoughts: "reasoning_content" },
  {
    ...usualHost,
    id: "moonshotai",
    prefix: "MOONSHOT",
    cap: "max_completion_tokens",
    takes: [
      ...tools,
      ...effort,
      ...samples,
      "stream_options",
      "thinking",
      "prompt_cache_key",
      "safety_identifier",
    ],
    requested: switched,
    thoughts: "reasoning_content",
    replays: "reasoning_content",
    counts: "choice",
  },
  {
    ...usualHost,
    id: "z-ai",
    prefix: "ZAI",
    takes: [...tools, ...effort, "stop", "stream_options", "thinking"],
    requested: switched,
    thoughts: "reasoning_content",
    replays: "reasoning_content",
    tools: "auto",
    jsonModeOnly: true,
  },
  {
    ...usualHost,
    id: "sambanova",
    prefix: "SAMBANOVA",
    takes: [...tools, ...effort, "stop", "stream_options", "parallel_tool_calls", "top_k"],
    thoughts: "tags",
  },
  { ...usualHost, id: "hyperbolic", prefix: "HYPERBOLIC", takes: open, thoughts: "tags" },
  {
    ...usualHost,
    id: "openrouter",
    prefix: "OPENROUTER",
    takes: [
      ...open.filter((key) => key !== "reasoning_effort"),
      "reasoning",
      "prompt_cache_key",
      "service_tier",
      "verbosity",
    ],
    requested: { reasoning: { effort: "high" } },
    thoughts: "reasoning_details",
    replays: "reasoning_details",
  },
  {
    ...usualHost,
    id: "ollama",
    prefix: "OLLAMA",
    takes: fallback,
    thoughts: "reasoning",
    replays: "reasoning",
  },
  { ...usualHost, id: "vllm", prefix: "VLLM", takes: open, thoughts: "reasoning", replays: "reasoning" },
  {
    ...usualHost,
    id: "sglang",
    prefix: "SGLANG",
    takes: open,
    thoughts: "reasoning_content",
    replays: "reasoning_content",
  },
  { ...usualHost, id: "lmstudio", prefix: "LMSTUDIO", takes: fallback, thoughts: "tags" },
  {
    ...usualHost,
    id: "llamacpp",
    prefix: "LLAMACPP",
    takes: open,
    thoughts: "reasoning_content",
    replays: "reasoning_content",
  },
];
