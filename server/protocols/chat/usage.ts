/** Token counts of Chat Completions and its dialects → the hub's (faults U14). */

import type { Usage } from "../../../shared/usage.ts";
import { type ChatUsage, type Chunk, usage as usageSchema } from "./schema.ts";

/** No request has more tokens than this; what a provider says beyond it is a fault of its counting. */
const MOST_TOKENS = 100_000_000;

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
  const inputTokens = asked(data);
  const answered = produced(data);
  if (inputTokens === undefined || answered === undefined) return undefined;
  const { completion_tokens_details: out } = data;
  const reasoning = clamp(out?.reasoning_tokens ?? data.reasoning_tokens ?? 0);
  const outputTokens = withReasoning(data, { answered, reasoning, inputTokens });
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(cached(data), inputTokens),
    cacheWriteTokens: Math.min(written(data), inputTokens),
    reasoningTokens: Math.min(reasoning, outputTokens),
    estimated: false,
    raw,
  };
}

const clamp = (count: number) => Math.min(MOST_TOKENS, Math.max(0, Math.round(count)));

const asked = ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }: ChatUsage) =>
  prompt == null ? rest(total, completion) : clamp(prompt);

const produced = ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }: ChatUsage) =>
  completion == null ? rest(total, prompt) : clamp(completion);

/** One count from the total and the other. */
const rest = (total: number | null | undefined, other: number | null | undefined) =>
  total == null || other == null ? undefined : clamp(total - other);

interface Counted {
  readonly inputTokens: number;
  readonly answered: number;
  readonly reasoning: number;
}

/** xAI counts reasoning beside the completion, not in it; only the total gives it away. */
function withReasoning(
  { total_tokens: total }: ChatUsage,
  { inputTokens, answered, reasoning }: Counted,
): number {
  return total === inputTokens + answered + reasoning ? clamp(answered + reasoning) : answered;
}

const cached = (usage: ChatUsage) =>
  clamp(
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ??
      usage.cache_read_input_tokens ?? 0,
  );

const written = (usage: ChatUsage) =>
  clamp(usage.prompt_tokens_details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0);
