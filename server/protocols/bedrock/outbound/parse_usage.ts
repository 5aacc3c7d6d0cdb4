/** Token counts of Converse → ours (faults U14). What was read from or written to the cache stands beside the input. */

import type * as z from "zod";
import { countOf, isTold, type Usage, usageFrom } from "../../../canonical/usage.ts";
import type { usage as usageSchema } from "./response_schema.ts";

type Said = z.output<typeof usageSchema>;

/**
 * Undefined when the provider did not say what can be. It never says how much of the output was thought. `serviceTier` it says
 * beside the counts.
 */
export function parseUsage(said: Said | null | undefined, serviceTier?: string): Usage | undefined {
  if (!said || !isTold(said.inputTokens) || !isTold(said.outputTokens)) return undefined;
  const cachedTokens = countOf(said.cacheReadInputTokens);
  const byAge = said.cacheDetails ?? [];
  const writtenByAge = byAge.reduce((sum, { inputTokens }) => sum + countOf(inputTokens), 0);
  const cacheWriteTokens = Math.max(countOf(said.cacheWriteInputTokens), writtenByAge);
  return usageFrom({
    inputTokens: countOf(said.inputTokens) + cachedTokens + cacheWriteTokens,
    outputTokens: said.outputTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: byAge.reduce(
      (sum, { ttl, inputTokens }) => ttl === "1h" ? sum + countOf(inputTokens) : sum,
      0,
    ),
    serviceTier,
    raw: said,
  });
}
