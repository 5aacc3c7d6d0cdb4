/** Token counts as Chat Completions spells them. */

import type { Usage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** `more`: cost and the like, known once the answer is settled. */
export function renderUsage(usage: Usage, more: JsonObject): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    ...more,
  };
}
