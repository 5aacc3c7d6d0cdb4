/** Questions about use over time (specification, Credits, generations, activity, analytics). */

import * as z from "zod";
import { formatQuery } from "./exports.ts";
import type { ManagementOperation } from "./operation.ts";

export const granularities = ["minute", "hour", "day", "week", "month"] as const;
export type Granularity = (typeof granularities)[number];

export const filterOperators = ["eq", "neq", "in", "not_in", "gt", "gte", "lt", "lte"] as const;
export type FilterOperator = (typeof filterOperators)[number];

const word = z.string().min(1).max(100);
const value = z.union([z.string().max(500), z.number()]);
const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

const analyticsFilterSchema = z.strictObject({
  field: word,
  operator: z.enum(filterOperators),
  /** A list for `in` and `not_in`. */
  value: z.union([value, z.array(value).min(1).max(1_000)]),
});
export type AnalyticsFilter = z.infer<typeof analyticsFilterSchema>;

const MAX_ANALYTICS_ROWS = 10_000;

export const analyticsQuerySchema = z.strictObject({
  metrics: z.array(word).min(1).max(50),
  dimensions: z.array(word).max(2).optional(),
  filters: z.array(analyticsFilterSchema).max(20).optional(),
  granularity: z.enum(granularities).optional(),
  /** From the start on, up to the end and without it. */
  time_range: z.strictObject({ start: moment, end: moment }).optional(),
  order_by: z.strictObject({ field: word, direction: z.enum(["asc", "desc"]) }).optional(),
  limit: z.int().min(1).max(MAX_ANALYTICS_ROWS).optional(),
  /** Keeps the groups with the most of the first metric. */
  group_limit: z.int().min(1).max(1_000).optional(),
});
export type AnalyticsQuery = z.infer<typeof analyticsQuerySchema>;

/** `date` (start of the span) with a granularity, the dimensions, the metrics. Null: there is none. */
const rowSchema = z.record(z.string(), z.union([z.string(), z.number()]).nullable());
export type AnalyticsRow = z.infer<typeof rowSchema>;

const named = z.object({ name: z.string(), display_label: z.string() });

export const displayFormats = ["number", "currency", "percent", "latency", "throughput"] as const;

const metaSchema = z.object({
  metrics: z.array(named.extend({ display_format: z.enum(displayFormats), is_rate: z.boolean() })),
  dimensions: z.array(named),
  operators: z.array(z.object({ name: z.enum(filterOperators), value_type: z.enum(["scalar", "array"]) })),
  granularities: z.array(named.extend({ name: z.enum(granularities) })),
});

const answerSchema = z.object({
  data: z.array(rowSchema),
  metadata: z.object({ query_time_ms: z.number(), row_count: z.int(), truncated: z.boolean() }),
  warnings: z.array(z.string()).optional(),
});
export type AnalyticsResult = z.infer<typeof answerSchema>;

export const analyticsApi = {
  "analytics.meta": {
    method: "GET",
    path: "/analytics/meta",
    who: ["management"],
    errors: "other",
    summary: "Lists analytics metrics, dimensions and filters.",
    verb: "describe analytics",
    output: z.object({ data: metaSchema }),
  },
  "analytics.query": {
    method: "POST",
    path: "/analytics/query",
    who: ["management"],
    errors: "other",
    summary: "Queries requests, tokens, cost and latency over time.",
    verb: "query analytics",
    reads: true,
    body: analyticsQuerySchema,
    output: z.object({ data: answerSchema }),
  },
  "analytics.export": {
    method: "POST",
    path: "/analytics/export",
    who: ["management"],
    errors: "other",
    summary: "Downloads the rows of an analytics query as CSV or JSON lines.",
    verb: "export analytics",
    reads: true,
    query: z.object({ format: formatQuery }),
    body: analyticsQuerySchema,
    output: "bytes",
  },
} as const satisfies Record<string, ManagementOperation>;
