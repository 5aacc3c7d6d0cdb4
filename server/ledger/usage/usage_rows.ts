/**
 * What is counted of receipts, and the rows that hold it. A row belongs to one run of one process and to one span
 * of time, and holds one combination of dimensions, or those of several keys together; it is absolute, so writing it
 * twice changes nothing, and a process that starts anew begins new rows. What happened is the sum over all rows of a
 * span.
 */

import * as z from "zod";
import type { Receipt } from "../../../shared/receipts.ts";
import { msOf } from "../../../shared/util/timestamps.ts";
import type { Entry, StoreKey } from "../../stores/store.ts";
import { jsonIn, misfit } from "../journal/json_bytes.ts";
import { bucketOf } from "./latency_histogram.ts";

/** What can be told apart, in the order of the rows. `""` stands for none: no model was asked. */
export const dimensions = ["workspace", "key", "model", "provider", "status"] as const;
export type Dimension = (typeof dimensions)[number];

/** Values in the order of `dimensions`. */
export type Combo = readonly [
  workspace: string,
  key: string,
  model: string,
  provider: string,
  status: string,
];

/** Sums, in the order of the rows. Money in nano-USD; `duration` in ms, until the receipt was closed. */
export const sums = [
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
] as const;
export type Sum = (typeof sums)[number];

export type Totals = { readonly [S in Sum]: number };

const HOUR = 3_600_000;

/** Spans of time in ms. */
export const spans = { minute: 60_000, hour: HOUR, day: 24 * HOUR } as const;
export type Span = keyof typeof spans;

/**
 * The kinds of rows. Below the time stands the key, or what the keys in the row begin with, so that one key's are
 * read nearly alone; `usage_day_all` has no keys apart, so that it stays short with a million of them.
 */
export const levels = {
  usage_minute: { span: "minute", keyed: true },
  usage_hour: { span: "hour", keyed: true },
  usage_day: { span: "day", keyed: true },
  usage_day_all: { span: "day", keyed: false },
} as const satisfies Record<string, { readonly span: Span; readonly keyed: boolean }>;
export type Level = keyof typeof levels;

export const levelNames: readonly Level[] = ["usage_minute", "usage_hour", "usage_day", "usage_day_all"];

/** Ends that are nobody's wish: neither the caller's nor a limit's. */
const failures: ReadonlySet<string> = new Set<Receipt["status"]>(["failed", "interrupted"]);

export const isFailure = ([, , , , status]: Combo): boolean => failures.has(status);

/** The number of the span that a moment (ms since the epoch) falls into. */
export const spanOf = (span: Span, at: number): number => Math.floor(at / spans[span]);

/** Requests count where they began, as limits count them (promises M3). */
export const momentOf = (receipt: Receipt): number => msOf(receipt.created_at);

/** A receipt's dimensions at a level. */
export function comboOf(receipt: Receipt, level: Level): Combo {
  const { workspace_id, key_hash, model, provider, status } = receipt;
  return [workspace_id, levels[level].keyed ? key_hash : "", model ?? "", provider ?? "", status];
}

/** The same in every dimension: most receipts are like the one before, and a combination takes time to make. */
export function areAlike(one: Receipt, other: Receipt): boolean {
  return one.key_hash === other.key_hash && one.workspace_id === other.workspace_id &&
    one.model === other.model && one.provider === other.provider && one.status === other.status;
}

/** What a row with the combinations of several keys has in its place: the beginning of all of them. */
export const beginningOf = (key: string): string => key.slice(0, 2);

export interface RowPlace {
  readonly level: Level;
  /** As `spanOf` counts. */
  readonly at: number;
  /** Or what several begin with; empty at levels without keys. */
  readonly key: string;
  /** Names the run of the process. */
  readonly start: string;
  /** Told apart within it. */
  readonly count: number;
}

export function rowKey({ level, at, key, start, count }: RowPlace): StoreKey {
  return [level, at, key, start, count];
}

/** What a receipt adds, in the order of `sums`. */
export function numbersOf(receipt: Receipt): readonly number[] {
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
  ];
}

/** Numbers in the order of `sums` by their names. */
export const totalsIn = (numbers: readonly number[]): Totals =>
  totalsFrom((sum) => numbers[sums.indexOf(sum)] ?? 0);

/** The bucket of the time until the first piece of the answer; undefined when none came. */
export function latencyOf({ latency_ms }: Receipt): number | undefined {
  return latency_ms === null ? undefined : bucketOf(latency_ms);
}

/** One combination of a row, read. */
export interface AggregateRow {
  readonly at: number;
  readonly combo: Combo;
  readonly totals: Totals;
  readonly latency: ReadonlyMap<number, number>;
  /** That answered last; null where none was asked. */
  readonly endpoint: string | null;
}

const text = z.string();
const comboSchema = z.object({
  d: z.tuple([text, text, text, text, text]),
  n: z.array(z.number()).length(sums.length),
  /** Bucket, count, bucket, count … */
  l: z.array(z.int()),
  e: z.string().nullable(),
});
type StoredCombo = z.infer<typeof comboSchema>;

const rowSchema = z.array(z.unknown());

/** `numbers` in the order of `sums`. */
export interface Unstored extends Pick<AggregateRow, "combo" | "latency" | "endpoint"> {
  readonly numbers: readonly number[];
}

/** A combination, as a row holds it. */
export function comboText({ combo, numbers, latency, endpoint }: Unstored): string {
  const buckets: number[] = [];
  for (const [bucket, count] of latency) buckets.push(bucket, count);
  const stored: StoredCombo = { d: [...combo], n: [...numbers], l: buckets, e: endpoint };
  return JSON.stringify(stored);
}

const encoder = new TextEncoder();

/** The value of a row: bytes, because most of its texts are the same as when it was written last. */
export function storedRow(combos: readonly string[]): Uint8Array {
  return encoder.encode(`[${combos.join(",")}]`);
}

/** The span that a row belongs to, as `spanOf` counts. Throws a StoreError `corrupt` for what is no row. */
export function rowSpan({ key }: Pick<Entry, "key">): number {
  const [, at] = key;
  if (typeof at === "number") return at;
  throw misfit(key);
}

/**
 * The combinations of a row, or those of one key. Throws a StoreError `corrupt` for a row that was not made by
 * `storedRow`.
 */
export function readRow(entry: Entry, of?: string): readonly AggregateRow[] {
  const at = rowSpan(entry);
  const parsed = rowSchema.safeParse(jsonIn(entry));
  if (!parsed.success) throw misfit(entry.key, parsed.error);
  const wanted = of === undefined ? parsed.data : parsed.data.filter((combo) => !isAnothers(combo, of));
  return wanted.map((combo) => readCombo(combo, { at, key: entry.key }));
}

/** Told without a schema: a key's combination stands among dozens of others. */
function isAnothers(combo: unknown, key: string): boolean {
  if (typeof combo !== "object" || combo === null || !("d" in combo)) return false;
  return Array.isArray(combo.d) && combo.d[1] !== key;
}

interface Place {
  readonly at: number;
  readonly key: StoreKey;
}

function readCombo(value: unknown, { at, key }: Place): AggregateRow {
  const parsed = comboSchema.safeParse(value);
  if (!parsed.success) throw misfit(key, parsed.error);
  const { d: combo, n, l, e: endpoint } = parsed.data;
  const latency = new Map<number, number>();
  for (let index = 0; index + 1 < l.length; index += 2) latency.set(l[index] ?? 0, l[index + 1] ?? 0);
  return { at, combo, totals: totalsIn(n), latency, endpoint };
}

/** Totals made of a number for each sum. */
export function totalsFrom(give: (sum: Sum) => number): Totals {
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
  };
}

export const noTotals: Totals = totalsFrom(() => 0);

export function addTotals(a: Totals, b: Totals): Totals {
  return totalsFrom((sum) => a[sum] + b[sum]);
}
