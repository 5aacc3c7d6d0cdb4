/** The provider's `usage` → our counts (faults U14). */

import { isRecord } from "../../../../shared/util/json.ts";
import { isReported, normalizeUsage, toCount, type Usage, withServiceTier } from "../../canonical/usage.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { isCharged } from "../../canonical/web_search_call.ts";
import { readNumber, readObject } from "../../common/outbound/read_fields.ts";
import { parseReportedCost } from "../../common/outbound/parse_reported_cost.ts";

/** The parts of a result object that say what it costs, beside its `usage`. */
export interface UsageContext {
  readonly tool_usage?: unknown;
  readonly service_tier?: string;
  readonly output?: readonly unknown[];
}

/** Undefined when the provider did not count both sides, or below zero: the gateway then estimates. */
export function parseUsage(raw: unknown, result: UsageContext = {}): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const input = readNumber(raw.input_tokens);
  const output = readNumber(raw.output_tokens);
  const total = readNumber(raw.total_tokens);
  const inputTokens = isReported(input) ? input : rest(total, output);
  const outputTokens = isReported(output) ? output : rest(total, input);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const into = readObject(raw.input_tokens_details);
  const out = readObject(raw.output_tokens_details);
  const tools = readObject(result.tool_usage);
  // What OpenAI's own tools used; its image tool has a model of its own.
  const drawn = readObject(tools.image_gen);
  const counted = normalizeUsage({
    inputTokens,
    outputTokens,
    cachedTokens: readNumber(into.cached_tokens),
    cacheWriteTokens: readNumber(into.cache_write_tokens),
    reasoningTokens: readNumber(out.reasoning_tokens),
    inputAudioTokens: readNumber(into.audio_tokens),
    inputImageTokens: readNumber(into.image_tokens),
    outputAudioTokens: readNumber(out.audio_tokens),
    outputImageTokens: readNumber(out.image_tokens),
    imageToolInputTokens: readNumber(drawn.input_tokens),
    imageToolOutputTokens: readNumber(drawn.output_tokens),
    outputImages: itemsOf("image_generation_call", result),
    webSearches: readNumber(readObject(tools.web_search).num_requests) ?? searches(raw, result),
    reportedCost: parseReportedCost(raw),
    raw,
  });
  return withServiceTier(counted, result.service_tier);
}

const rest = (total: number | undefined, other: number | undefined) =>
  isReported(total) && isReported(other) && total >= other ? total - other : undefined;

/** Where no count is told, every search in the answer is one. */
function searches(raw: JsonObject, result: UsageContext): number {
  const byXai = readObject(raw.server_side_tool_usage_details);
  return Math.max(
    count(raw.num_sources_used),
    count(byXai.web_search_calls) + count(byXai.x_search_calls),
    // OpenRouter.
    count(readObject(raw.server_tool_use).web_search_requests),
    count(readObject(raw.server_tool_use_details).web_search_requests),
    itemsOf("web_search_call", result, ({ action }) => isCharged(action)),
  );
}

const count = (value: unknown): number => toCount(readNumber(value));

type ItemTest = (item: JsonObject) => boolean;

function itemsOf(type: string, ...[{ output }, test]: readonly [UsageContext, ItemTest?]): number {
  let found = 0;
  for (const value of output ?? []) {
    const item = readObject(value);
    if (item.type === type && test?.(item) !== false) found++;
  }
  return found;
}
