/** Token counts of Chat Completions and its dialects → ours (faults U14). */

import { isRecord } from "../../../../shared/util/json.ts";
import { isReported, normalizeUsage, toCount, type Usage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { readNumber, readObject } from "../../common/outbound/read_fields.ts";
import { parseReportedCost } from "../../common/outbound/parse_reported_cost.ts";
import type { ChatCompletionChunk } from "./response_schema.ts";

/** The usage that a chunk or a whole answer carries, wherever its dialect puts it. */
export function usageOfChunk({ usage, x_groq, choices }: ChatCompletionChunk): Usage | undefined {
  return parseUsage(usage) ?? parseUsage(x_groq?.usage) ?? parseUsage(choices?.[0]?.usage);
}

/** Undefined when the provider did not say how many tokens went in and came out; zero is zero. */
export function parseUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const reported = {
    prompt: readNumber(raw.prompt_tokens),
    completion: readNumber(raw.completion_tokens),
    total: readNumber(raw.total_tokens),
  };
  const prompt = isReported(reported.prompt)
    ? toCount(reported.prompt)
    : rest(reported.total, reported.completion);
  const answered = isReported(reported.completion)
    ? toCount(reported.completion)
    : rest(reported.total, reported.prompt);
  if (prompt === undefined || answered === undefined) return undefined;
  const into = readObject(raw.prompt_tokens_details);
  const out = readObject(raw.completion_tokens_details);
  // Perplexity, and others that do not nest it.
  const reasoningTokens = toCount(readNumber(out.reasoning_tokens) ?? readNumber(raw.reasoning_tokens));
  return normalizeUsage({
    // Perplexity counts the pages that it read beside the prompt, and charges for them as for it.
    inputTokens: prompt + toCount(readNumber(raw.citation_tokens)),
    outputTokens: withReasoning(raw, { prompt, answered, reasoningTokens }),
    cachedTokens: cached(raw, into),
    // Anthropic's compatible endpoint and gateways in front of it.
    cacheWriteTokens: readNumber(into.cache_write_tokens) ?? readNumber(raw.cache_creation_input_tokens),
    cacheWrite1hTokens: readNumber(readObject(raw.cache_creation).ephemeral_1h_input_tokens),
    reasoningTokens,
    inputAudioTokens: readNumber(into.audio_tokens),
    inputImageTokens: readNumber(into.image_tokens),
    outputAudioTokens: readNumber(out.audio_tokens),
    outputImageTokens: readNumber(out.image_tokens),
    webSearches: searches(raw),
    // Mistral.
    seconds: readNumber(raw.prompt_audio_seconds),
    reportedCost: parseReportedCost(raw),
    raw,
  });
}

/** One count from the total and the other. */
const rest = (total: number | undefined, other: number | undefined) =>
  isReported(total) && isReported(other) && total >= other ? toCount(total - other) : undefined;

interface ParsedCounts {
  readonly prompt: number;
  readonly answered: number;
  readonly reasoningTokens: number;
}

/**
 * xAI counts reasoning beside the completion, not in it; only the total gives it away. Perplexity's research counts
 * it beside the completion and beside the total.
 */
function withReasoning(raw: JsonObject, { prompt, answered, reasoningTokens }: ParsedCounts): number {
  const researched = readNumber(raw.reasoning_tokens) !== undefined &&
    readNumber(raw.num_search_queries) !== undefined;
  const beside = researched || readNumber(raw.total_tokens) === prompt + answered + reasoningTokens;
  return beside ? answered + reasoningTokens : answered;
}

/** OpenAI, DeepSeek, Moonshot, Mistral, and Anthropic's compatible endpoint, in this order. */
const cached = (raw: JsonObject, into: JsonObject): number | undefined =>
  readNumber(into.cached_tokens) ?? readNumber(raw.prompt_cache_hit_tokens) ??
    readNumber(raw.cached_tokens) ??
    readNumber(raw.num_cached_tokens) ?? readNumber(raw.cache_read_input_tokens);

/** Perplexity charges for the searches of its research, xAI for the sources that its search used. */
const searches = (raw: JsonObject): number =>
  Math.max(
    toCount(readNumber(raw.num_search_queries)),
    toCount(readNumber(raw.num_sources_used)),
    // OpenRouter.
    toCount(readNumber(readObject(raw.server_tool_use).web_search_requests)),
    toCount(readNumber(readObject(raw.server_tool_use_details).web_search_requests)),
  );
