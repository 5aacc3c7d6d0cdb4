/** The provider's `usage` → our counts (faults U14). */

import { countOf, inTier, isTold, type Usage, usageFrom } from "../../../canonical/usage.ts";
import type { Json } from "../../../canonical/item.ts";
import { fieldsOf, isRecord, numberOf } from "../../common/outbound/read_fields.ts";
import { reportedCost } from "../../common/outbound/parse_reported_cost.ts";

/** The parts of a result object that say what it costs, beside its `usage`. */
export interface UsedBy {
  readonly tool_usage?: unknown;
  readonly service_tier?: string;
  readonly output?: readonly unknown[];
}

/** Undefined when the provider did not count both sides, or below zero: the gateway then estimates. */
export function readUsage(raw: unknown, result: UsedBy = {}): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const input = numberOf(raw.input_tokens);
  const output = numberOf(raw.output_tokens);
  const total = numberOf(raw.total_tokens);
  const inputTokens = isTold(input) ? input : rest(total, output);
  const outputTokens = isTold(output) ? output : rest(total, input);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const into = fieldsOf(raw.input_tokens_details);
  const out = fieldsOf(raw.output_tokens_details);
  const tools = fieldsOf(result.tool_usage);
  // What OpenAI's own tools used; its image tool has a model of its own.
  const drawn = fieldsOf(tools.image_gen);
  const counted = usageFrom({
    inputTokens,
    outputTokens,
    cachedTokens: numberOf(into.cached_tokens),
    cacheWriteTokens: numberOf(into.cache_write_tokens),
    reasoningTokens: numberOf(out.reasoning_tokens),
    inputAudioTokens: numberOf(into.audio_tokens),
    inputImageTokens: numberOf(into.image_tokens),
    outputAudioTokens: numberOf(out.audio_tokens),
    outputImageTokens: numberOf(out.image_tokens),
    imageToolInputTokens: numberOf(drawn.input_tokens),
    imageToolOutputTokens: numberOf(drawn.output_tokens),
    outputImages: itemsOf("image_generation_call", result),
    webSearches: numberOf(fieldsOf(tools.web_search).num_requests) ?? searches(raw, result),
    reportedCost: reportedCost(raw),
    raw,
  });
  return inTier(counted, result.service_tier);
}

const rest = (total: number | undefined, other: number | undefined) =>
  isTold(total) && isTold(other) && total >= other ? total - other : undefined;

/** Where no count is told, every call of the search tool in the answer is one. */
function searches(told: Json, result: UsedBy): number {
  const byXai = fieldsOf(told.server_side_tool_usage_details);
  return Math.max(
    count(told.num_sources_used),
    count(byXai.web_search_calls) + count(byXai.x_search_calls),
    // OpenRouter.
    count(fieldsOf(told.server_tool_use).web_search_requests),
    count(fieldsOf(told.server_tool_use_details).web_search_requests),
    itemsOf("web_search_call", result),
  );
}

const count = (told: unknown): number => countOf(numberOf(told));

function itemsOf(type: string, { output }: UsedBy): number {
  let found = 0;
  for (const item of output ?? []) if (fieldsOf(item).type === type) found++;
  return found;
}
