/** What the quirks of many rows have in common. */

/** OpenAI's own additions, which hardly anybody else takes. */
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
/** Those of them that a host does not take. */
export const except = (...kept: readonly string[]) => openAisOwn.filter((key) => !kept.includes(key));

export const maxTokens = { max_completion_tokens: "max_tokens" } as const;
/** Of the words for an effort, those that everybody knows. */
export const threeEfforts = { minimal: "low", xhigh: "high", max: "high" } as const;
/** What servers built on vLLM and its like sample by. */
export const openSampling: readonly string[] = ["top_k", "min_p", "repetition_penalty"];
