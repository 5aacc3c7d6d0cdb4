/**
 * Answers questions about use over time from the sums beside the receipts (specification, Credits, generations,
 * activity, analytics).
 */

import type { AnalyticsQuery, AnalyticsResult, AnalyticsRow } from "../../../shared/management/analytics.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { queryUsage, type UsageGroup } from "../../billing/ledger/usage/usage_query.ts";
import {
  addUsageTotals,
  type UsageDimension,
  type UsageTotals,
  zeroUsageTotals,
} from "../../billing/ledger/usage/usage_rows.ts";
import { mergeHistogram } from "../../billing/ledger/usage/latency_histogram.ts";
import { invalidQuery } from "./query_error.ts";
import { parseFilters } from "./analytics_filters.ts";
import {
  dimensionNames,
  dimensionOf,
  metricFunction,
  type MetricInput,
  metricNames,
} from "./analytics_metrics.ts";
import { parseTimeRange, wideningWarnings } from "./time_range.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

const DEFAULT_LIMIT = 1_000;

interface Named<T> {
  readonly name: string;
  readonly it: T;
}

type MetricColumn = (figures: MetricInput) => number | null;

interface ParsedQuery {
  readonly metrics: readonly [Named<MetricColumn>, ...Named<MetricColumn>[]];
  readonly dimensions: readonly Named<UsageDimension>[];
  readonly dated: boolean;
  readonly query: AnalyticsQuery;
}

export async function runAnalyticsQuery(
  { store, runtime: { clock }, ledger, modelId }: Pick<
    ManagementDeps,
    "store" | "runtime" | "ledger" | "modelId"
  >,
  query: AnalyticsQuery,
): Promise<AnalyticsResult> {
  const began = clock.monotonic();
  const question = parseQuery(query);
  const { key, filter, acceptsGroup } = parseFilters(query.filters ?? [], modelId);
  const cut = parseTimeRange(query, clock.now());
  const by = question.dimensions.map(({ it }) => it);
  await ledger.caughtUp();
  const sums = await queryUsage(store, { ...cut, by, key, filter, modelId });
  const kept = largestFirst(sums.groups.filter(acceptsGroup), question);
  const rows = ordered(kept.groups.map((group) => rowOf(group, question)), question);
  const data = rows.slice(0, query.limit ?? DEFAULT_LIMIT);
  const warnings = [
    ...(query.time_range === undefined ? [] : wideningWarnings(cut)),
    ...(sums.truncated
      ? [`Only the newest ${sums.rowsRead} stored sums were added up: ask for less time.`]
      : []),
    ...(kept.left > 0 ? [`group_limit left out ${kept.left} groups.`] : []),
  ];
  return {
    data,
    metadata: {
      query_time_ms: Number((clock.monotonic() - began).toFixed(2)),
      row_count: data.length,
      truncated: sums.truncated || data.length < rows.length,
    },
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Throws an ApiError (400) that lists what is known. */
function parseQuery(query: AnalyticsQuery): ParsedQuery {
  const [first, ...more] = query.metrics.map((name, at) => {
    return {
      name,
      it: requireKnown(metricFunction(name), { path: `metrics[${at}]`, name, names: metricNames }),
    };
  });
  if (first === undefined) {
    throw invalidQuery("metrics", `metrics is empty; known are ${metricNames.join(", ")}`);
  }
  const dimensions = (query.dimensions ?? []).map((name, at) => {
    return {
      name,
      it: requireKnown(dimensionOf(name), { path: `dimensions[${at}]`, name, names: dimensionNames }),
    };
  });
  const question = {
    metrics: [first, ...more],
    dimensions,
    dated: query.granularity !== undefined,
    query,
  } as const;
  assertOrder(question);
  return question;
}

interface Name {
  readonly path: string;
  readonly name: string;
  readonly names: readonly string[];
}

function requireKnown<T>(found: T | undefined, { path, name, names }: Name): T {
  if (found !== undefined) return found;
  throw invalidQuery(path, `${path} is ${formatValue(name)}; known are ${names.join(", ")}`);
}

function assertOrder({ metrics, dimensions, dated, query: { order_by } }: ParsedQuery): void {
  if (order_by === undefined) return;
  const fields = [...(dated ? ["date"] : []), ...[...dimensions, ...metrics].map(({ name }) => name)];
  if (fields.includes(order_by.field)) return;
  const path = "order_by.field";
  throw invalidQuery(
    path,
    `${path} is ${formatValue(order_by.field)}; allowed is what is asked for: ${fields.join(", ")}`,
  );
}

interface Kept {
  readonly groups: readonly UsageGroup[];
  /** Groups of dimensions that were left out. */
  readonly left: number;
}

interface Whole {
  totals: UsageTotals;
  failed: number;
  readonly latency: Map<number, number>;
}

/** Keeps the groups that have the most of the first metric over the whole range. */
function largestFirst(
  groups: readonly UsageGroup[],
  { metrics: [first], query: { group_limit } }: ParsedQuery,
): Kept {
  if (group_limit === undefined) return { groups, left: 0 };
  const wholes = new Map<string, Whole>();
  for (const group of groups) {
    const name = group.values.join("\0");
    const whole = wholes.get(name) ??
      { totals: zeroUsageTotals, failed: 0, latency: new Map<number, number>() };
    whole.totals = addUsageTotals(whole.totals, group.totals);
    whole.failed += group.failed;
    mergeHistogram(whole.latency, group.latency);
    wholes.set(name, whole);
  }
  const sizes = [...wholes].map(([name, whole]) => ({ name, size: first.it(whole) ?? -Infinity }));
  const most = sizes.toSorted((a, b) => b.size - a.size || byText(a.name, b.name)).slice(0, group_limit);
  const names = new Set(most.map(({ name }) => name));
  return {
    groups: groups.filter(({ values }) => names.has(values.join("\0"))),
    left: wholes.size - names.size,
  };
}

function rowOf(group: UsageGroup, { metrics, dimensions, dated }: ParsedQuery): AnalyticsRow {
  const row: Record<string, string | number | null> = {};
  if (dated) row["date"] = new Date(group.bucket).toISOString();
  for (const [at, { name }] of dimensions.entries()) row[name] = group.values[at] || null;
  for (const { name, it } of metrics) row[name] = it(group);
  return row;
}

/** As asked; else by time and then by the first metric, the most first. */
function ordered(rows: readonly AnalyticsRow[], question: ParsedQuery): readonly AnalyticsRow[] {
  const { metrics: [first], dated, query: { order_by } } = question;
  const fallback = (a: AnalyticsRow, b: AnalyticsRow) =>
    (dated ? byField("date")(a, b) : 0) || byField(first.name)(b, a) ||
    byText(JSON.stringify(a), JSON.stringify(b));
  if (order_by === undefined) return rows.toSorted(fallback);
  const { field, direction } = order_by;
  const by = byField(field);
  return rows.toSorted((a, b) => (direction === "asc" ? by(a, b) : by(b, a)) || fallback(a, b));
}

/** Null before everything else. */
const byField = (field: string) => (a: AnalyticsRow, b: AnalyticsRow): number => {
  const [one, other] = [ownValue(a, field) ?? null, ownValue(b, field) ?? null];
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  if (typeof one === "number" && typeof other === "number") return one - other;
  return byText(String(one), String(other));
};

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
