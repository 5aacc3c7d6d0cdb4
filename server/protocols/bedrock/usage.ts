/** Token counts of Converse → the hub's (faults U14). What was read from or written to the cache stands beside the input. */

import type * as z from "zod";
import type { Usage } from "../../../shared/usage.ts";
import type { usage as usageSchema } from "./schema.ts";

const MOST_TOKENS = 100_000_000;
const clamp = (count: number | null | undefined) =>
  Math.min(MOST_TOKENS, Math.max(0, Math.round(count ?? 0)));

/** Undefined when the provider did not say. It never says how much of the output was thought. */
export function parseUsage(said: z.output<typeof usageSchema> | null | undefined): Usage | undefined {
  if (!said) return undefined;
  const cachedTokens = clamp(said.cacheReadInputTokens);
  const cacheWriteTokens = clamp(said.cacheWriteInputTokens);
  return {
    inputTokens: clamp(clamp(said.inputTokens) + cachedTokens + cacheWriteTokens),
    outputTokens: clamp(said.outputTokens),
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: 0,
    estimated: false,
    raw: said,
  };
}
