/** The provider's `usage` → hub usage (faults U14). */

import * as z from "zod";
import type { Usage } from "../../../shared/usage.ts";

/** More than any model's context: a count beyond it is a fault of the provider's, not a price to pay. */
const mostTokens = 100_000_000;

/** Zero is zero; what is negative, absurd or no number at all is brought back to what can be true. */
const count = z.number().nullish().catch(0).transform((tokens) =>
  Math.min(Math.max(0, Math.round(tokens ?? 0) || 0), mostTokens)
);
const details = z.object({ cached_tokens: count, cache_write_tokens: count, reasoning_tokens: count });
const noDetails = { cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };

const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: details.catch(noDetails),
  output_tokens_details: details.catch(noDetails),
});

/** Whether the provider counted anything at all. */
function isCounted(raw: unknown): boolean {
  if (typeof raw !== "object" || raw === null) return false;
  const input = "input_tokens" in raw ? raw.input_tokens : undefined;
  return (input ?? ("output_tokens" in raw ? raw.output_tokens : undefined) ?? undefined) !== undefined;
}

/** Undefined when the provider counted nothing: the gateway then estimates. */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isCounted(raw)) return undefined;
  const { input_tokens: inputTokens, output_tokens: outputTokens, ...rest } = usage.parse(raw);
  const { cached_tokens: cached, cache_write_tokens: written } = rest.input_tokens_details;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(cached, inputTokens),
    cacheWriteTokens: Math.min(written, inputTokens),
    reasoningTokens: Math.min(rest.output_tokens_details.reasoning_tokens, outputTokens),
    estimated: false,
    raw,
  };
}
