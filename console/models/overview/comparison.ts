/** Figures of a period against those of the period before. */

import { numberOf, type Row, timeOf } from "../overview_totals.ts";
import { comparedSpans, type OverviewPeriod } from "./period.ts";

interface Figures {
  readonly usd: number;
  readonly requests: number;
  readonly tokens: number;
}

interface Comparison {
  readonly now: Figures;
  readonly before: Figures;
}

function sumBetween(
  rows: readonly Row[],
  { from, to }: { readonly from: number; readonly to: number },
): Figures {
  const within = rows.filter((row) => timeOf(row) >= from && timeOf(row) < to);
  const sum = (name: string) => within.reduce((total, row) => total + numberOf(row, name), 0);
  return {
    usd: sum("total_usage"),
    requests: sum("request_count"),
    tokens: sum("tokens_prompt") + sum("tokens_completion"),
  };
}

/** Compares spans that are over with as many before the period; undefined where none is over. */
export function comparisonOf(rows: readonly Row[], period: OverviewPeriod): Comparison | undefined {
  const spans = comparedSpans(period);
  if (spans === undefined) return undefined;
  return { now: sumBetween(rows, spans.now), before: sumBetween(rows, spans.before) };
}
