/** The provider's `usage` → our counts (faults U14). */

import * as z from "zod";
import { countOf, inTier, isTold, type Usage, usageFrom } from "../../../shared/usage.ts";
import type { Json } from "../../hub/item.ts";
import { reportedCost } from "../common/reported_cost.ts";

/** What is no number at all is not told. */
const count = z.number().nullish().catch(undefined);
const maybe = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(undefined);
const details = maybe({
  cached_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  audio_tokens: count,
  image_tokens: count,
});
const searched = maybe({ web_search_requests: count });

const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: details,
  output_tokens_details: details,
  /** xAI. */
  num_sources_used: count,
  server_side_tool_usage_details: maybe({ web_search_calls: count, x_search_calls: count }),
  /** OpenRouter. */
  server_tool_use: searched,
  server_tool_use_details: searched,
});
type Told = z.infer<typeof usage>;

/** What OpenAI's own tools used; its image tool has a model of its own. */
const toolUsage = maybe({
  image_gen: maybe({ input_tokens: count, output_tokens: count }),
  web_search: maybe({ num_requests: count }),
});

/** The parts of a result object that say what it costs, beside its `usage`. */
export interface UsedBy {
  readonly tool_usage?: unknown;
  readonly service_tier?: string;
  readonly output?: readonly unknown[];
}

const isRecord = (raw: unknown): raw is Json =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw);

/** Undefined when the provider did not count both sides, or below zero: the gateway then estimates. */
export function readUsage(raw: unknown, result: UsedBy = {}): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const told = usage.parse(raw);
  const tools = toolUsage.parse(result.tool_usage);
  const { input_tokens: input, output_tokens: output, total_tokens: total } = told;
  const inputTokens = isTold(input) ? input : rest(total, output);
  const outputTokens = isTold(output) ? output : rest(total, input);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { input_tokens_details: into, output_tokens_details: out } = told;
  const counted = usageFrom({
    inputTokens,
    outputTokens,
    cachedTokens: into?.cached_tokens,
    cacheWriteTokens: into?.cache_write_tokens,
    reasoningTokens: out?.reasoning_tokens,
    inputAudioTokens: into?.audio_tokens,
    inputImageTokens: into?.image_tokens,
    outputAudioTokens: out?.audio_tokens,
    outputImageTokens: out?.image_tokens,
    imageToolInputTokens: tools?.image_gen?.input_tokens,
    imageToolOutputTokens: tools?.image_gen?.output_tokens,
    outputImages: itemsOf("image_generation_call", result),
    webSearches: tools?.web_search?.num_requests ?? searches(told, result),
    reportedCost: reportedCost(raw),
    raw,
  });
  return inTier(counted, result.service_tier);
}

const rest = (total: number | null | undefined, other: number | null | undefined) =>
  isTold(total) && isTold(other) && total >= other ? total - other : undefined;

/** Where no count is told, every call of the search tool in the answer is one. */
const searches = (told: Told, result: UsedBy): number =>
  Math.max(
    countOf(told.num_sources_used),
    countOf(told.server_side_tool_usage_details?.web_search_calls) +
      countOf(told.server_side_tool_usage_details?.x_search_calls),
    countOf(told.server_tool_use?.web_search_requests),
    countOf(told.server_tool_use_details?.web_search_requests),
    itemsOf("web_search_call", result),
  );

const itemsOf = (type: string, { output }: UsedBy): number =>
  (output ?? []).filter((item) =>
    typeof item === "object" && item !== null && "type" in item && item.type === type
  ).length;
