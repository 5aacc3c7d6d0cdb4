/** Token counts of the Messages API → the canonical model's (faults U14). */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { isReported, laterUsage, normalizeUsage, toCount, type Usage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { readNumber } from "../../common/outbound/read_fields.ts";
import { parseReportedCost } from "../../common/outbound/parse_reported_cost.ts";
import { type CallCounts, usageSchema as usageSchema } from "./response_schema.ts";

/** Counts so far. `final` once the end has been counted too: until then the output is a guess. */
export interface UsageCounts {
  readonly raw: JsonObject;
  readonly final: boolean;
  /** As they were before what was said last. */
  readonly before?: Usage;
}

interface AddedCounts {
  readonly said: unknown;
  readonly final: boolean;
  /** Whether the answer holds anything so far. */
  readonly made?: boolean;
}

/**
 * Counts are cumulative: what is not said again still holds, and so does what was told of an output that cannot be
 * zero.
 */
export function addCounts(
  before: UsageCounts | undefined,
  { said, final, made = false }: AddedCounts,
): UsageCounts | undefined {
  if (!isRecord(said)) return before;
  const isKnown = made && isReported(readNumber(before?.raw.output_tokens));
  const counts = Object.entries(said).filter(([name, value]) =>
    value !== null && value !== undefined && !(isKnown && name === "output_tokens" && value === 0)
  );
  return { raw: { ...before?.raw, ...Object.fromEntries(counts) }, final, before: toUsage(before) };
}

/**
 * Undefined when the provider did not say how many tokens went in and came out; zero is zero. At the beginning it may
 * count the input alone.
 */
export function toUsage(counts: UsageCounts | undefined): Usage | undefined {
  return counts === undefined ? undefined : laterUsage(counts.before, latestUsage(counts));
}

const ownCalls: ReadonlySet<string> = new Set(["compaction", "advisor_message"]);

function latestUsage(counts: UsageCounts): Usage | undefined {
  const { data } = usageSchema.safeParse(counts.raw);
  if (data === undefined || !isReported(data.input_tokens)) return undefined;
  if (!isReported(data.output_tokens) && (counts.final || data.output_tokens != null)) return undefined;
  // Condensing a long conversation, or asking an advisor, is a call of its own, which the answer's counts leave out.
  const calls = [data, ...(data.iterations ?? []).filter(({ type }) => ownCalls.has(type ?? ""))];
  const cachedTokens = sum(calls.map((call) => toCount(call.cache_read_input_tokens)));
  const cacheWriteTokens = sum(calls.map(written));
  return normalizeUsage({
    // The provider counts as input only what the cache neither had nor took.
    inputTokens: sum(calls.map((call) => toCount(call.input_tokens))) + cachedTokens + cacheWriteTokens,
    outputTokens: sum(calls.map((call) => toCount(call.output_tokens))),
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: sum(calls.map((call) => toCount(call.cache_creation?.ephemeral_1h_input_tokens))),
    reasoningTokens: data.output_tokens_details?.thinking_tokens,
    webSearches: data.server_tool_use?.web_search_requests,
    // Its fast mode has a price of its own, whatever the tier.
    serviceTier: data.speed === "fast" ? "fast" : parseServiceTierUsed(counts),
    reportedCost: parseReportedCost(counts.raw),
    estimated: !counts.final,
    raw: counts.raw,
  });
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Told in one sum, and by how long it is kept. */
const written = ({ cache_creation_input_tokens: all, cache_creation: byAge }: CallCounts): number =>
  Math.max(
    toCount(all),
    toCount(byAge?.ephemeral_5m_input_tokens) + toCount(byAge?.ephemeral_1h_input_tokens),
  );

const tiers: Readonly<Record<string, string>> = { standard: "default", priority: "priority" };

/** The tier that was served, in the words of our clients. */
export function parseServiceTierUsed(counts: UsageCounts | undefined): string | undefined {
  const tier = counts?.raw.service_tier;
  return typeof tier === "string" ? ownValue(tiers, tier) ?? tier : undefined;
}
