/** Token counts of Chat Completions and its dialects → ours (faults U14). */

import { countOf, isTold, type Usage, usageFrom } from "../../../shared/usage.ts";
import { reportedCost } from "../common/reported_cost.ts";
import { type ChatUsage, type Chunk, usage as usageSchema } from "./schema.ts";

/** The usage that a chunk or a whole answer carries, wherever its dialect puts it. */
export function usageOf({ usage, x_groq, choices }: Chunk): Usage | undefined {
  return parseUsage(usage) ?? parseUsage(x_groq?.usage) ?? parseUsage(choices?.[0]?.usage);
}

/** Undefined when the provider did not say how many tokens went in and came out; zero is zero. */
export function parseUsage(raw: unknown): Usage | undefined {
  // Most chunks carry none: a schema that fails costs more than the rest of the chunk.
  if (typeof raw !== "object" || raw === null) return undefined;
  const { data } = usageSchema.safeParse(raw);
  if (data === undefined) return undefined;
  const prompt = asked(data);
  const answered = produced(data);
  if (prompt === undefined || answered === undefined) return undefined;
  const { prompt_tokens_details: into, completion_tokens_details: out } = data;
  const reasoningTokens = countOf(out?.reasoning_tokens ?? data.reasoning_tokens);
  return usageFrom({
    // Perplexity counts the pages that it read beside the prompt, and charges for them as for it.
    inputTokens: prompt + countOf(data.citation_tokens),
    outputTokens: withReasoning(data, { prompt, answered, reasoningTokens }),
    cachedTokens: cached(data),
    cacheWriteTokens: into?.cache_write_tokens ?? data.cache_creation_input_tokens,
    cacheWrite1hTokens: data.cache_creation?.ephemeral_1h_input_tokens,
    reasoningTokens,
    inputAudioTokens: into?.audio_tokens,
    inputImageTokens: into?.image_tokens,
    outputAudioTokens: out?.audio_tokens,
    outputImageTokens: out?.image_tokens,
    webSearches: searches(data),
    seconds: data.prompt_audio_seconds,
    reportedCost: reportedCost(raw),
    raw,
  });
}

const asked = ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }: ChatUsage) =>
  isTold(prompt) ? countOf(prompt) : rest(total, completion);

const produced = ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }: ChatUsage) =>
  isTold(completion) ? countOf(completion) : rest(total, prompt);

/** One count from the total and the other. */
const rest = (total: number | null | undefined, other: number | null | undefined) =>
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
function withReasoning(data: ChatUsage, { prompt, answered, reasoningTokens }: Counted): number {
  const researched = data.reasoning_tokens != null && data.num_search_queries != null;
  const beside = researched || data.total_tokens === prompt + answered + reasoningTokens;
  return beside ? answered + reasoningTokens : answered;
}

const cached = (usage: ChatUsage) =>
  usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ??
    usage.num_cached_tokens ?? usage.cache_read_input_tokens;

/** xAI charges for the sources that its search used, Perplexity for the searches of its research. */
const searches = (usage: ChatUsage) =>
  Math.max(
    countOf(usage.num_search_queries),
    countOf(usage.num_sources_used),
    countOf(usage.server_tool_use?.web_search_requests),
    countOf(usage.server_tool_use_details?.web_search_requests),
  );
