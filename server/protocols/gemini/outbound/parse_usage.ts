/** `usageMetadata` → our counts (faults U14). */

import { isReported, normalizeUsage, toCount, type Usage } from "../../canonical/usage.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { readNumber } from "../../common/outbound/read_fields.ts";
import { type GeminiUsage, type ModalityCount, usageSchema as usageSchema } from "./response_schema.ts";

/**
 * Undefined when the provider did not count, or below zero. Counts that are zero it leaves out, so what is absent beside others
 * is zero. Thoughts are counted beside the answer and belong to the output; results of the provider's own tools
 * are counted beside the prompt and belong to the input. `searches`: what it charges of the queries
 * that it names with the sources of its answer.
 */
export function parseUsage(raw: unknown, searches = 0): Usage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { data } = usageSchema.safeParse(raw);
  if (data === undefined || !hasCounts(data)) return undefined;
  const reasoningTokens = toCount(data.thoughtsTokenCount);
  const read = [...data.promptTokensDetails ?? [], ...data.toolUsePromptTokensDetails ?? []];
  const inputTokens = toCount(data.promptTokenCount) + toCount(data.toolUsePromptTokenCount);
  return normalizeUsage({
    inputTokens,
    outputTokens: outputTokens(data, inputTokens) + reasoningTokens,
    cachedTokens: data.cachedContentTokenCount,
    reasoningTokens,
    inputAudioTokens: of("AUDIO", read),
    cachedAudioTokens: of("AUDIO", data.cacheTokensDetails),
    inputImageTokens: of("IMAGE", read),
    cachedImageTokens: of("IMAGE", data.cacheTokensDetails),
    outputAudioTokens: of("AUDIO", data.candidatesTokensDetails),
    outputImageTokens: of("IMAGE", data.candidatesTokensDetails),
    webSearches: searches,
    serviceTier: tierOf(data),
    raw,
  });
}

const cumulative = [
  "promptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "toolUsePromptTokenCount",
  "totalTokenCount",
] as const;

/** Whether a chunk counts less than the one before it. Nothing else of them is read: they come with every chunk. */
export function hasFallen(before: unknown, later: unknown): boolean {
  if (!isRecord(before)) return false;
  if (!isRecord(later)) return true;
  return cumulative.some((name) => toCount(readNumber(later[name])) < toCount(readNumber(before[name])));
}

/** The total alone says nothing of either side. */
const hasCounts = ({ promptTokenCount, candidatesTokenCount: answer }: GeminiUsage) =>
  [promptTokenCount, answer].some(isReported) &&
  [promptTokenCount, answer].every((count) => count == null || isReported(count));

const of = (modality: string, details: readonly ModalityCount[] | null | undefined): number =>
  (details ?? []).reduce((sum, one) => one.modality === modality ? sum + toCount(one.tokenCount) : sum, 0);

/** Some answers name the total and not the answer itself; some count no images in it, and name them beside it. */
function outputTokens(
  { candidatesTokenCount, candidatesTokensDetails, thoughtsTokenCount, totalTokenCount }: GeminiUsage,
  input: number,
): number {
  if (candidatesTokenCount != null) {
    const named = (candidatesTokensDetails ?? []).reduce((sum, one) => sum + toCount(one.tokenCount), 0);
    return Math.max(toCount(candidatesTokenCount), named);
  }
  if (totalTokenCount == null) return 0;
  return toCount(toCount(totalTokenCount) - input - toCount(thoughtsTokenCount));
}

/** Gemini says it in `serviceTier` (`PRIORITY`), Vertex in `trafficType` (`ON_DEMAND_PRIORITY`). */
function tierOf({ serviceTier, trafficType }: GeminiUsage): string | undefined {
  const received = (serviceTier ?? trafficType)?.toLowerCase();
  if (received === undefined) return undefined;
  return ["flex", "priority"].find((tier) => received.endsWith(tier)) ?? "default";
}
