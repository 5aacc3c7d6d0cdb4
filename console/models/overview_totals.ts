/** Totals of the Overview over time: requests, latency and tokens, from rows of an analytics query. */

import type { OperationResult } from "../api.ts";
import type { Series } from "../charts/chart_shape.ts";
import { overviewText } from "../text/overview.ts";
import type { OverviewPeriod } from "./overview/period.ts";

export type Row = OperationResult<"analytics.query">["data"]["data"][number];

export const numberOf = (row: Row, name: string): number =>
  Number(new Map(Object.entries(row)).get(name) ?? 0);
export const textOf = (row: Row, name: string): string =>
  String(new Map(Object.entries(row)).get(name) ?? "");
export const timeOf = (row: Row): number => Date.parse(textOf(row, "date"));

export interface Totals {
  readonly period: OverviewPeriod;
  readonly requests: readonly Series[];
  readonly latency: readonly Series[];
  readonly tokens: readonly Series[];
  readonly all: {
    readonly requests: number;
    readonly failed: number;
    readonly refused: number;
    readonly input: number;
    readonly output: number;
  };
}

interface RequestCounts {
  readonly all: readonly number[];
  readonly failed: readonly number[];
  readonly refused: readonly number[];
}

/** Counts as answered all that was neither refused nor failed. */
function requestSeries({ all, failed, refused }: RequestCounts): readonly Series[] {
  const answered = all.map((count, at) => count - (failed[at] ?? 0) - (refused[at] ?? 0));
  return [
    { name: overviewText.answered, hue: "f-soft", values: answered },
    { name: overviewText.refused, hue: "f-warn", values: refused },
    { name: overviewText.failed, hue: "f-bad", values: failed },
  ];
}

interface TotalRows {
  readonly rows: readonly Row[];
  /** Counts of requests that a limit or a rule of the operator refused. */
  readonly refused: readonly Row[];
}

export function totalsOf({ rows, refused: refusals }: TotalRows, period: OverviewPeriod): Totals {
  const { buckets } = period;
  const byTime = new Map(rows.map((row) => [timeOf(row), row]));
  const refusedAt = new Map(refusals.map((row) => [timeOf(row), numberOf(row, "request_count")]));
  const values = (name: string) =>
    buckets.map(({ from }) => {
      const row = byTime.get(from);
      return row === undefined ? 0 : numberOf(row, name);
    });
  const refused = buckets.map(({ from }) => refusedAt.get(from) ?? 0);
  const orNull = (name: string) =>
    buckets.map(({ from }) => {
      const row = byTime.get(from);
      const value = row === undefined ? null : new Map(Object.entries(row)).get(name);
      return value === null || value === undefined ? null : Number(value);
    });
  const [all, failed] = [values("request_count"), values("error_count")];
  const [input, output] = [values("tokens_prompt"), values("tokens_completion")];
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    period,
    requests: requestSeries({ all, failed, refused }),
    latency: [
      { name: "p50", hue: "l1", values: orNull("latency_p50") },
      { name: "p95", hue: "l3", values: orNull("latency_p95") },
      { name: "p99", hue: "l4", values: orNull("latency_p99") },
    ],
    tokens: [
      { name: overviewText.input, hue: "f1", values: input },
      { name: overviewText.output, hue: "f2", values: output },
    ],
    all: {
      requests: sum(all),
      failed: sum(failed),
      refused: sum(refused),
      input: sum(input),
      output: sum(output),
    },
  };
}
