/** Token counts of Converse → ours (faults U14). What was read from or written to the cache stands beside the input. */

import type * as z from "zod";
import { isReported, normalizeUsage, toCount, type Usage } from "../../canonical/usage.ts";
import type { usageSchema as usageSchema } from "./response_schema.ts";

type Received = z.output<typeof usageSchema>;

/**
 * Undefined when the provider did not say what can be. It never says how much of the output was thought. `serviceTier` it says
 * beside the counts.
 */
export function parseUsage(received: Received | null | undefined, serviceTier?: string): Usage | undefined {
  if (!received || !isReported(received.inputTokens) || !isReported(received.outputTokens)) return undefined;
  const cachedTokens = toCount(received.cacheReadInputTokens);
  const byAge = received.cacheDetails ?? [];
  const writtenByAge = byAge.reduce((sum, { inputTokens }) => sum + toCount(inputTokens), 0);
  const cacheWriteTokens = Math.max(toCount(received.cacheWriteInputTokens), writtenByAge);
  return normalizeUsage({
    inputTokens: toCount(received.inputTokens) + cachedTokens + cacheWriteTokens,
    outputTokens: received.outputTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: byAge.reduce(
      (sum, { ttl, inputTokens }) => ttl === "1h" ? sum + toCount(inputTokens) : sum,
      0,
    ),
    serviceTier,
    raw: received,
  });
}
