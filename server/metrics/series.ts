/**
 * Every series that GET /metrics serves, as data: what is not listed here cannot be counted. A label has a closed list
 * of values, or is bound by the catalog (`model`, `provider`): no caller chooses one.
 */

import { genAiSeries } from "./gen_ai_series.ts";
import { tollgateSeries } from "./tollgate_series.ts";

/** Stands for every value that a label has no place for. */
export const OTHER = "other";

/** Values of a label: a closed list, or those of the catalog that are in use. */
type LabelDomain = readonly string[] | "model" | "provider";

export interface Series {
  /** Prometheus name; a counter's without `_total`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelDomain>>;
  /** End of the name, for OpenMetrics. */
  readonly unit?: "seconds" | "bytes" | "usd";
  /** Counted in nano-USD and written in USD. */
  readonly isMoney?: true;
  /** Upper bounds, ascending, without infinity. */
  readonly buckets?: readonly number[];
}

export type SeriesId = keyof typeof tollgateSeries | keyof typeof genAiSeries;

/** Spellings of the conventions for calls of models; a registry has one of them. */
export type GenAiNames = "v1.41" | "latest";

/** A series under two names; null: the spelling has none. */
export interface RenamedSeries extends Omit<Series, "name"> {
  readonly names: { readonly [N in GenAiNames]: string | null };
}

/** The series of a gateway by their ids, in the order in which they are served; those that the spelling has. */
export function seriesTable(spelling: GenAiNames): ReadonlyMap<SeriesId, Series> {
  const renamed = Object.entries<RenamedSeries>(genAiSeries).flatMap(([id, { names, ...row }]) => {
    const name = names[spelling];
    return name === null ? [] : [[toSeriesId(id), { ...row, name }] as const];
  });
  const own = Object.entries<Series>(tollgateSeries).map(([id, row]) => [toSeriesId(id), row] as const);
  return new Map([...renamed, ...own]);
}

/** A key of one of the tables. */
function toSeriesId(id: string): SeriesId {
  return id as SeriesId;
}
