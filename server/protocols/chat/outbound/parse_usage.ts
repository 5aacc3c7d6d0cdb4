/** Token counts of Chat Completions and its dialects → ours (faults U14). */

import { countOf, isTold, type Usage, usageFrom } from "../../../canonical/usage.ts";
import type { Json } from "../../../canonical/item.ts";
import { fieldsOf, isRecord, numberOf } from "../../common/outbound/read_fields.ts";
import { reportedCost } from "../../common/outbound/parse_reported_cost.ts";
import type { Chunk } from "./response_schema.ts";

/** The usage that a chunk or a whole answer carries, wherever its dialect puts it. */
export function usageOf({ usage, x_groq, choices }: Chunk): Usage | undefined {
  return parseUsage(usage) ?? parseUsage(x_groq?.usage) ?? parseUsage(choices?.[0]?.usage);
}

/** Undefined when the provider did not say how many tokens went in and came out; zero is zero. */
export function parseUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const told = {
    prompt: numberOf(raw.prompt_tokens),
    completion: numberOf(raw.completion_tokens),
    total: numberOf(raw.total_tokens),
  };
  const prompt = isTold(told.prompt) ? countOf(told.prompt) : rest(told.total, told.completion);
  const answered = isTold(told.completion) ? countOf(told.completion) : rest(told.total, told.prompt);
  if (prompt === undefined || answered === undefined) return undefined;
  const into = fieldsOf(raw.prompt_tokens_details);
  const out = fieldsOf(raw.completion_tokens_details);
  // Perplexity, and others that do not nest it.
  const reasoningTokens = countOf(numberOf(out.reasoning_tokens) ?? numberOf(raw.reasoning_tokens));
  return usageFrom({
    // Perplexity counts the pages that it read beside the prompt, and charges for them as for it.
    inputTokens: prompt + countOf(numberOf(raw.citation_tokens)),
    outputTokens: withReasoning(raw, { prompt, answered, reasoningTokens }),
    cachedTokens: cached(raw, into),
    // Anthropic's compatible endpoint and gateways in front of it.
    cacheWriteTokens: numberOf(into.cache_write_tokens) ?? numberOf(raw.cache_creation_input_tokens),
    cacheWrite1hTokens: numberOf(fieldsOf(raw.cache_creation).ephemeral_1h_input_tokens),
    reasoningTokens,
    inputAudioTokens: numberOf(into.audio_tokens),
    inputImageTokens: numberOf(into.image_tokens),
    outputAudioTokens: numberOf(out.audio_tokens),
    outputImageTokens: numberOf(out.image_tokens),
    webSearches: searches(raw),
    // Mistral.
    seconds: numberOf(raw.prompt_audio_seconds),
    reportedCost: reportedCost(raw),
    raw,
  });
}

/** One count from the total and the other. */
const rest = (total: number | undefined, other: number | undefined) =>
  isTold(total) && isTold(other) && total >= other ? countOf(total - other) : undefined;

interface Counted {
  readonly prompt: number;
  readonly answered: number;
  readonly reasoningTokens: number;
}

/**
 * xAI counts reasoning beside the completion, not in it; only the total gives it away. Perplexity's research counts
 * it beside the completion and beside the total.
 */
function withReasoning(raw: Json, { prompt, answered, reasoningTokens }: Counted): number {
  const researched = numberOf(raw.reasoning_tokens) !== undefined &&
    numberOf(raw.num_search_queries) !== undefined;
  const beside = researched || numberOf(raw.total_tokens) === prompt + answered + reasoningTokens;
  return beside ? answered + reasoningTokens : answered;
}

/** OpenAI, DeepSeek, Moonshot, Mistral, and Anthropic's compatible endpoint, in this order. */
const cached = (raw: Json, into: Json): number | undefined =>
  numberOf(into.cached_tokens) ?? numberOf(raw.prompt_cache_hit_tokens) ?? numberOf(raw.cached_tokens) ??
    numberOf(raw.num_cached_tokens) ?? numberOf(raw.cache_read_input_tokens);

/** Perplexity charges for the searches of its research, xAI for the sources that its search used. */
const searches = (raw: Json): number =>
  Math.max(
    countOf(numberOf(raw.num_search_queries)),
    countOf(numberOf(raw.num_sources_used)),
    // OpenRouter.
    countOf(numberOf(fieldsOf(raw.server_tool_use).web_search_requests)),
    countOf(numberOf(fieldsOf(raw.server_tool_use_details).web_search_requests)),
  );
