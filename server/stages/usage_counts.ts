/** Counts under the names that receipts have for them. */

import type { Usage } from "../../shared/usage.ts";

/** What can be counted. */
type Count = Exclude<keyof Usage, "serviceTier" | "reportedCost" | "estimated" | "raw">;

const names = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cachedTokens: "cached_tokens",
  cacheWriteTokens: "cache_write_tokens",
  reasoningTokens: "reasoning_tokens",
  cacheWrite1hTokens: "cache_write_1h_tokens",
  inputAudioTokens: "input_audio_tokens",
  cachedAudioTokens: "cached_audio_tokens",
  inputImageTokens: "input_image_tokens",
  cachedImageTokens: "cached_image_tokens",
  outputAudioTokens: "output_audio_tokens",
  outputImageTokens: "output_image_tokens",
  imageToolInputTokens: "image_tool_input_tokens",
  imageToolOutputTokens: "image_tool_output_tokens",
  inputImages: "input_images",
  outputImages: "output_images",
  webSearches: "web_searches",
  characters: "characters",
  seconds: "seconds",
  audioBytes: "audio_bytes",
  calls: "calls",
} as const satisfies Record<Count, string>;

const entries = Object.entries(names).map(([field, name]) => [asCount(field), name] as const);
/** Told also when they are none. */
const always = 5;

/** The sums of all; empty for none. */
export function usageCounts(usages: readonly Usage[]): Readonly<Record<string, number>> {
  if (usages.length === 0) return {};
  const counts: Record<string, number> = {};
  for (const [at, [field, name]] of entries.entries()) {
    let sum = 0;
    for (const usage of usages) sum += usage[field] ?? 0;
    if (sum !== 0 || at < always) counts[name] = sum;
  }
  return counts;
}

/** A key of the table. */
function asCount(field: string): Count {
  return field as Count;
}
