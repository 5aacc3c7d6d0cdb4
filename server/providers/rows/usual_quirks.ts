/** Quirks that many rows have in common. */

/** OpenAI's own additions, which hardly any other host takes. */
export const openAisOwn: readonly string[] = [
  "metadata",
  "moderation",
  "prompt_cache_breakpoint",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
  "verbosity",
];
/** OpenAI's additions except those that a host takes. */
export const except = (...kept: readonly string[]) => openAisOwn.filter((key) => !kept.includes(key));

export const maxTokens = { max_completion_tokens: "max_tokens" } as const;
/** Words for an effort, each as the nearest of the three that every host knows. */
export const threeEfforts = { minimal: "low", xhigh: "high", max: "high" } as const;
/** Sampling parameters of servers that are built on vLLM and its like. */
export const openSampling: readonly string[] = ["top_k", "min_p", "repetition_penalty"];
