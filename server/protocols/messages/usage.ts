/** Token counts of the Messages API → the hub's (faults U14). */

import type { Usage } from "../../../shared/usage.ts";
import type { Json } from "../../hub/item.ts";
import { usage as usageSchema } from "./schema.ts";

/** No request has more tokens than this; what a provider says beyond it is a fault of its counting. */
const MOST_TOKENS = 100_000_000;

/** What was counted so far. `final` once the end has been counted too: until then the output is a guess. */
export interface Counted {
  readonly raw: Json;
  readonly final: boolean;
}

/** Counts are cumulative: what is said last holds, and what is not said again still does. */
export function counted(
  before: Counted | undefined,
  { said, final }: { readonly said: unknown; readonly final: boolean },
): Counted | undefined {
  if (!isRecord(said)) return before;
  const told = Object.entries(said).filter(([, value]) => value !== null && value !== undefined);
  return { raw: { ...before?.raw, ...Object.fromEntries(told) }, final };
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined when the provider did not say how many tokens went in and came out; zero is zero. */
export function usageOf(counts: Counted | undefined): Usage | undefined {
  if (counts === undefined) return undefined;
  const { data } = usageSchema.safeParse(counts.raw);
  if (data?.input_tokens == null || data.output_tokens == null) return undefined;
  const cachedTokens = clamp(data.cache_read_input_tokens);
  const cacheWriteTokens = clamp(data.cache_creation_input_tokens);
  const outputTokens = clamp(data.output_tokens);
  return {
    // The provider counts as input only what the cache neither had nor took.
    inputTokens: clamp(clamp(data.input_tokens) + cachedTokens + cacheWriteTokens),
    outputTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(clamp(data.output_tokens_details?.thinking_tokens), outputTokens),
    estimated: !counts.final,
    raw: counts.raw,
  };
}

const clamp = (count: number | null | undefined) =>
  Math.min(MOST_TOKENS, Math.max(0, Math.round(count ?? 0)));

const tiers: Readonly<Record<string, string>> = { standard: "default", priority: "priority" };

/** The tier that was served, in the words of our clients. */
export function serviceTierOf(counts: Counted | undefined): string | undefined {
  const tier = counts?.raw.service_tier;
  return typeof tier === "string" ? tiers[tier] ?? tier : undefined;
}
