/** `usageMetadata` → the hub's counts (faults U14). */

import type { Usage } from "../../../shared/usage.ts";
import { type GeminiUsage, usage as usageSchema } from "./schema.ts";

/** No request has more tokens than this; what a provider says beyond it is a fault of its counting. */
const MOST_TOKENS = 100_000_000;

/**
 * Undefined when the provider did not count. Counts that are zero it leaves out, so what is absent beside others
 * is zero. Thoughts are counted beside the answer and belong to the output; results of the provider's own tools
 * are counted beside the prompt and belong to the input.
 */
export function parseUsage(raw: unknown): Usage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { data } = usageSchema.safeParse(raw);
  if (data === undefined || !hasCounts(data)) return undefined;
  const reasoning = clamp(data.thoughtsTokenCount);
  const inputTokens = clamp(clamp(data.promptTokenCount) + clamp(data.toolUsePromptTokenCount));
  return {
    inputTokens,
    outputTokens: clamp(answered(data, inputTokens) + reasoning),
    cachedTokens: Math.min(clamp(data.cachedContentTokenCount), inputTokens),
    cacheWriteTokens: 0,
    reasoningTokens: reasoning,
    estimated: false,
    raw,
  };
}

const hasCounts = (
  { promptTokenCount: prompt, candidatesTokenCount: answer, totalTokenCount: total }: GeminiUsage,
) => [prompt, answer, total].some((count) => typeof count === "number");

/** Some answers name the total and not the answer itself. */
function answered(
  { candidatesTokenCount, thoughtsTokenCount, totalTokenCount }: GeminiUsage,
  input: number,
): number {
  if (candidatesTokenCount != null) return clamp(candidatesTokenCount);
  if (totalTokenCount == null) return 0;
  return clamp(clamp(totalTokenCount) - input - clamp(thoughtsTokenCount));
}

const clamp = (count: number | null | undefined) =>
  Math.min(MOST_TOKENS, Math.max(0, Math.round(count ?? 0)));
