/** Metrics of analytics, and how each is computed. */

import { type displayFormats, filterOperators, granularities } from "../../../shared/management/analytics.ts";
import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import type { UsageGroup } from "../../billing/ledger/usage/usage_query.ts";
import type { UsageDimension } from "../../billing/ledger/usage/usage_rows.ts";
import { latencyPercentile } from "../../billing/ledger/usage/latency_histogram.ts";

export type MetricInput = Pick<UsageGroup, "totals" | "failed" | "latency">;

interface Metric {
  readonly label: string;
  readonly format: (typeof displayFormats)[number];
  /** A share or an average: rows of it cannot be added up. */
  readonly rate?: true;
  /** Null: there is nothing it could be of. */
  readonly of: (figures: MetricInput) => number | null;
}

const usd = (nano: number): number => toUsdNumber(toNanoUsd(nano));
const share = (part: number, whole: number): number | null => whole === 0 ? null : part / whole;

const metricTable = {
  total_usage: { label: "Cost", format: "currency", of: ({ totals }) => usd(totals.cost) },
  usage_byok: {
    label: "Cost on own provider keys",
    format: "currency",
    of: ({ totals }) => usd(totals.byok),
  },
  usage_upstream: {
    label: "Cost at providers",
    format: "currency",
    of: ({ totals }) => usd(totals.upstream),
  },
  usage_cache: {
    label: "Saved by caches",
    format: "currency",
    of: ({ totals }) => usd(totals.cacheDiscount),
  },
  usage_web: { label: "Cost of server tools", format: "currency", of: ({ totals }) => usd(totals.tools) },
  request_count: { label: "Requests", format: "number", of: ({ totals }) => totals.requests },
  tokens_total: {
    label: "Tokens",
    format: "number",
    of: ({ totals }) => totals.prompt + totals.completion,
  },
  tokens_prompt: { label: "Prompt tokens", format: "number", of: ({ totals }) => totals.prompt },
  tokens_completion: { label: "Completion tokens", format: "number", of: ({ totals }) => totals.completion },
  reasoning_tokens: { label: "Reasoning tokens", format: "number", of: ({ totals }) => totals.reasoning },
  cached_tokens: { label: "Cached tokens", format: "number", of: ({ totals }) => totals.cached },
  cache_hit_rate: {
    label: "Share of prompt tokens from caches",
    format: "percent",
    rate: true,
    of: ({ totals }) => share(totals.cached, totals.prompt),
  },
  error_count: { label: "Failed requests", format: "number", of: ({ failed }) => failed },
  error_rate: {
    label: "Share of requests that failed",
    format: "percent",
    rate: true,
    of: ({ failed, totals }) => share(failed, totals.requests),
  },
  latency_p50: latency("Latency, median", 0.5),
  latency_p95: latency("Latency, 95 of 100", 0.95),
  latency_p99: latency("Latency, 99 of 100", 0.99),
  duration_avg: {
    label: "Duration, average",
    format: "latency",
    rate: true,
    of: ({ totals }) => share(totals.duration, totals.requests),
  },
} as const satisfies Record<string, Metric>;

/** Ms until the first chunk of the answer, of requests that got one. */
function latency(label: string, p: number) {
  const of = ({ latency: histogram }: MetricInput) => latencyPercentile(histogram, p);
  return { label, format: "latency", rate: true, of } as const;
}

const metrics: ReadonlyMap<string, Metric> = new Map(Object.entries(metricTable));

/** Names, in the order in which they are listed. */
export const metricNames: readonly string[] = [...metrics.keys()];

export const metricFunction = (name: string): Metric["of"] | undefined => metrics.get(name)?.of;

const dimensionTable: ReadonlyMap<string, { readonly label: string; readonly dimension: UsageDimension }> =
  new Map([
    ["model", { label: "Model", dimension: "model" }],
    ["provider", { label: "Provider", dimension: "provider" }],
    ["api_key_id", { label: "API key (hash)", dimension: "key" }],
    ["workspace", { label: "Workspace", dimension: "workspace" }],
    ["status", { label: "Status", dimension: "status" }],
    ["tag", { label: "Tag", dimension: "tag" }],
  ]);

export const dimensionNames: readonly string[] = [...dimensionTable.keys()];

export const dimensionOf = (name: string): UsageDimension | undefined => dimensionTable.get(name)?.dimension;

const lists: ReadonlySet<string> = new Set(["in", "not_in"]);

export const isListOperator = (operator: string): boolean => lists.has(operator);

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

export const analyticsMeta = {
  metrics: [...metrics].map(([name, { label, format, rate }]) => ({
    name,
    display_label: label,
    display_format: format,
    is_rate: rate === true,
  })),
  dimensions: [...dimensionTable].map(([name, { label }]) => ({ name, display_label: label })),
  operators: filterOperators.map((name) => ({
    name,
    value_type: isListOperator(name) ? "array" as const : "scalar" as const,
  })),
  granularities: granularities.map((name) => ({ name, display_label: capital(name) })),
};
