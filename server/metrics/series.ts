/**
 * Every series that GET /metrics serves, as data: what is not listed here cannot be counted. A label has a closed list
 * of values, or is bound by the catalog (`model`, `provider`): no caller chooses one.
 */

import { genAiSeries } from "./gen_ai_series.ts";
import type { GenAiNames, RenamedSeries, Series } from "./series_row.ts";
import { tollgateSeries } from "./tollgate_series.ts";

export type SeriesId = keyof typeof tollgateSeries | keyof typeof genAiSeries;

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
