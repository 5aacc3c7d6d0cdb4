/** Counts under the names that receipts have for them. */

import type { Usage } from "../../../protocols/canonical/usage.ts";

/** Fields of a usage that can be added up. */
type Count = Exclude<keyof Usage, "serviceTier" | "reportedCost" | "estimated" | "raw">;

/** Told where there are any; five more are told always. */
const names = {
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
  searchResults: "search_results",
  fileSearches: "file_searches",
  codeContainers: "code_containers",
  characters: "characters",
  seconds: "seconds",
  audioBytes: "audio_bytes",
  calls: "calls",
} as const satisfies Record<Exclude<Count, Always>, string>;

type Always = "inputTokens" | "outputTokens" | "cachedTokens" | "cacheWriteTokens" | "reasoningTokens";

const entries = Object.entries(names).map(([field, name]) => ({ field: asCount(field), name }));

/** The sums of all, with the searches of files that the gateway itself has made; empty for no bills. */
export function receiptUsage(
  bills: readonly UsageSource[],
  fileSearches = 0,
): Readonly<Record<string, number>> {
  if (bills.length === 0) return {};
  const counts: Record<string, number> = {
    input_tokens: sumOf(bills, "inputTokens"),
    output_tokens: sumOf(bills, "outputTokens"),
    cached_tokens: sumOf(bills, "cachedTokens"),
    cache_write_tokens: sumOf(bills, "cacheWriteTokens"),
    reasoning_tokens: sumOf(bills, "reasoningTokens"),
  };
  for (const { field, name } of entries) {
    const sum = sumOf(bills, field) + (field === "fileSearches" ? fileSearches : 0);
    if (sum !== 0) counts[name] = sum;
  }
  return counts;
}

interface UsageSource {
  readonly usage: Usage;
}

function sumOf(bills: readonly UsageSource[], field: Count): number {
  let sum = 0;
  for (const { usage } of bills) sum += usage[field] ?? 0;
  return sum;
}

/** A key of the table. */
function asCount(field: string): Count {
  return field as Count;
}
