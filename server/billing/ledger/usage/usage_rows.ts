/**
 * Rows that hold sums of receipts. A row belongs to one run of one process and to one span of time, and holds one
 * combination of dimensions, or those of several keys together; it is absolute, so writing it twice changes nothing,
 * and a process that starts anew begins new rows. What happened is the sum over all rows of a span.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { StoreEntry, StoreKey } from "../../../storage/stores/store.ts";
import { corruptRow, parseJsonBytes } from "../journal/json_bytes.ts";
import { latencyBucket } from "./latency_histogram.ts";

/** Dimensions of usage, in the order of the rows. `""` stands for none: no model was asked, or there is no tag. */
export const usageDimensions = ["workspace", "key", "model", "provider", "status", "tag"] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** Values in the order of `dimensions`. The tags of receipts without any are left out. */
export type UsageCombination = readonly [
  workspace: string,
  key: string,
  model: string,
  provider: string,
  status: string,
  tags?: string,
];
const TAG_PLACE = usageDimensions.indexOf("tag");
const LEAST_DIMENSIONS = TAG_PLACE;

/** The tags of a receipt as one text: none of them has a comma. */
export const tagsText = ({ tags }: Pick<Receipt, "tags">): string => tags === undefined ? "" : tags.join(",");

/** Values at a place of a combination: one, but for the tags, of which a receipt may have several. */
export function valuesAt(combination: UsageCombination, place: number): readonly string[] {
  const value = combination[place] ?? "";
  return place === TAG_PLACE ? value.split(",") : [value];
}

/**
 * Sums, in the order of the rows. Money in nano-USD; `duration` in ms, until the receipt was closed; `overrun` is what
 * went over limits.
 */
export const usageSums = [
  "requests",
  "prompt",
  "completion",
  "reasoning",
  "cached",
  "cost",
  "byok",
  "upstream",
  "tools",
  "cacheDiscount",
  "duration",
  "overrun",
] as const;
/** How many the rows had in the beginning. */
const FIRST_SUMS = 12;
type UsageSum = (typeof usageSums)[number];

export type UsageTotals = { readonly [S in UsageSum]: number };

const HOUR = 3_600_000;

/** Spans of time in ms. */
export const timeSpans = { minute: 60_000, hour: HOUR, day: 24 * HOUR } as const;
export type TimeSpan = keyof typeof timeSpans;

/**
 * The kinds of rows. Below the time stands the key, or what the keys in the row begin with, so that one key's are
 * read nearly alone; `usage_hour_all` and `usage_day_all` have no keys apart, so that they stay short with a million
 * of them.
 */
export const usageLevels = {
  usage_minute: { span: "minute", keyed: true },
  usage_hour: { span: "hour", keyed: true },
  usage_hour_all: { span: "hour", keyed: false },
  usage_day: { span: "day", keyed: true },
  usage_day_all: { span: "day", keyed: false },
} as const satisfies Record<string, { readonly span: TimeSpan; readonly keyed: boolean }>;
export type UsageLevel = keyof typeof usageLevels;

export const usageLevelNames: readonly UsageLevel[] = [
  "usage_minute",
  "usage_hour",
  "usage_hour_all",
  "usage_day",
  "usage_day_all",
];

/** Statuses that count as failed: neither the caller nor a limit ended the request. */
const failures: ReadonlySet<string> = new Set<Receipt["status"]>(["failed", "interrupted"]);

export const isFailedCombination = ([, , , , status]: UsageCombination): boolean => failures.has(status);

/** The number of the span that a moment (ms since the epoch) falls into. */
export const timeSpanIndex = (span: TimeSpan, at: number): number => Math.floor(at / timeSpans[span]);

/** Requests count where they began, as limits count them (promises M3). */
export const countedAt = (receipt: Receipt): number => Date.parse(receipt.created_at);

/** A receipt's dimensions at a level. */
export function combinationOf(receipt: Receipt, level: UsageLevel): UsageCombination {
  const { workspace_id, key_hash, model, provider, status, tags } = receipt;
  const key = usageLevels[level].keyed ? key_hash : "";
  const untagged = [workspace_id, key, model ?? "", provider ?? "", status] as const;
  return tags === undefined ? untagged : [...untagged, tagsText(receipt)];
}

/** The same in every dimension: most receipts are like the one before, and a combination takes time to make. */
export function haveSameDimensions(one: Receipt, other: Receipt): boolean {
  return one.key_hash === other.key_hash && one.workspace_id === other.workspace_id &&
    one.model === other.model && one.provider === other.provider && one.status === other.status &&
    (one.tags === other.tags || tagsText(one) === tagsText(other));
}

/** Beginning of the keys that share a row; it stands in the place of the key. */
export const keyShardPrefix = (key: string): string => key.slice(0, 2);

interface UsageRowPosition {
  readonly level: UsageLevel;
  /** Number of the span, as `timeSpanIndex` counts. */
  readonly at: number;
  /** Or what several begin with; empty at levels without keys. */
  readonly key: string;
  /** Names the run of the process. */
  readonly start: string;
  /** Told apart within it. */
  readonly count: number;
}

export function usageRowKey({ level, at, key, start, count }: UsageRowPosition): StoreKey {
  return [level, at, key, start, count];
}

/** Numbers that a receipt adds, in the order of `sums`. */
export function usageNumbers(receipt: Receipt): readonly number[] {
  const { usage, stands_for: requests = 1 } = receipt;
  return [
    requests,
    usage["input_tokens"] ?? 0,
    usage["output_tokens"] ?? 0,
    usage["reasoning_tokens"] ?? 0,
    usage["cached_tokens"] ?? 0,
    receipt.cost,
    // A request may have been answered on keys of both kinds.
    Math.max(0, receipt.upstream_cost - receipt.cost),
    receipt.upstream_cost,
    receipt.server_tool_cost,
    receipt.cache_discount ?? 0,
    requests * Math.round(receipt.total_ms),
    receipt.overrun,
  ];
}

/** Numbers in the order of `sums` by their names. */
export const toUsageTotals = (numbers: readonly number[]): UsageTotals =>
  buildUsageTotals((sum) => numbers[usageSums.indexOf(sum)] ?? 0);

/** The bucket of the time until the first chunk of the answer; undefined when no provider gave one. */
export function latencyBucketOf(receipt: Receipt): number | undefined {
  const { latency_ms, response_cache_source_id: cached } = receipt;
  return latency_ms === null || cached !== undefined ? undefined : latencyBucket(latency_ms);
}

/** One combination of a row, read. */
export interface UsageRow {
  readonly at: number;
  readonly combination: UsageCombination;
  /** In the order of `usageSums`; rows from before a sum was added have fewer. */
  readonly numbers: readonly number[];
  /** Bucket, count, bucket, count … */
  readonly latency: readonly number[];
  /** That answered last; null where none was asked. */
  readonly endpoint: string | null;
}

interface StoredCombination {
  readonly d: UsageCombination;
  readonly n: readonly number[];
  readonly l: readonly number[];
  readonly e: string | null;
}

/**
 * Tells without a schema, which copies everything: a chart of a month reads 60,000 combinations, and their schema took
 * half of its time.
 */
function isStoredCombination(value: unknown): value is StoredCombination {
  if (!isRecord(value)) return false;
  const { d, n, l, e } = value;
  return Array.isArray(d) && d.length >= LEAST_DIMENSIONS && d.length <= usageDimensions.length &&
    d.every(isText) &&
    Array.isArray(n) && n.length >= FIRST_SUMS && n.length <= usageSums.length && n.every(Number.isFinite) &&
    Array.isArray(l) && l.every(Number.isInteger) && (e === null || isText(e));
}

const isText = (value: unknown): value is string => typeof value === "string";

interface UsageRowInput extends Pick<UsageRow, "combination" | "numbers" | "endpoint"> {
  readonly latency: ReadonlyMap<number, number>;
}

/** A combination, as a row holds it. */
export function encodeCombination({ combination, numbers, latency, endpoint }: UsageRowInput): string {
  const buckets: number[] = [];
  for (const [bucket, count] of latency) buckets.push(bucket, count);
  const stored: StoredCombination = { d: [...combination], n: [...numbers], l: buckets, e: endpoint };
  return JSON.stringify(stored);
}

const encoder = new TextEncoder();

/** The value of a row: bytes, because most of its texts are the same as when it was written last. */
export function encodeUsageRow(combos: readonly string[]): Uint8Array {
  return encoder.encode(`[${combos.join(",")}]`);
}

/** The span that a row belongs to, as `timeSpanIndex` counts. Throws a StoreError `corrupt` for what is no row. */
export function usageRowSpan({ key }: Pick<StoreEntry, "key">): number {
  const [, at] = key;
  if (typeof at === "number") return at;
  throw corruptRow(key);
}

/** The combinations of a row, or those of one key. Throws a StoreError `corrupt` for what is no such row. */
export function decodeUsageRow(entry: StoreEntry, of?: string): readonly UsageRow[] {
  const at = usageRowSpan(entry);
  const parsed = parseJsonBytes(entry);
  if (!Array.isArray(parsed)) throw corruptRow(entry.key);
  const combinations: readonly unknown[] = parsed;
  const wanted = of === undefined
    ? combinations
    : combinations.filter((combination) => !belongsToOtherKey(combination, of));
  return wanted.map((combination) => readCombination(combination, { at, key: entry.key }));
}

/** Told without a schema: a key's combination stands among dozens of others. */
function belongsToOtherKey(combination: unknown, key: string): boolean {
  if (typeof combination !== "object" || combination === null || !("d" in combination)) return false;
  return Array.isArray(combination.d) && combination.d[1] !== key;
}

interface Place {
  readonly at: number;
  readonly key: StoreKey;
}

function readCombination(value: unknown, { at, key }: Place): UsageRow {
  if (!isStoredCombination(value)) throw corruptRow(key);
  const { d: combination, n: numbers, l: latency, e: endpoint } = value;
  return { at, combination, numbers, latency, endpoint };
}

/** Totals made of a number for each sum. */
function buildUsageTotals(give: (sum: UsageSum) => number): UsageTotals {
  return {
    requests: give("requests"),
    prompt: give("prompt"),
    completion: give("completion"),
    reasoning: give("reasoning"),
    cached: give("cached"),
    cost: give("cost"),
    byok: give("byok"),
    upstream: give("upstream"),
    tools: give("tools"),
    cacheDiscount: give("cacheDiscount"),
    duration: give("duration"),
    overrun: give("overrun"),
  };
}

export const zeroUsageTotals: UsageTotals = buildUsageTotals(() => 0);

export function addUsageTotals(a: UsageTotals, b: UsageTotals): UsageTotals {
  return buildUsageTotals((sum) => a[sum] + b[sum]);
}
