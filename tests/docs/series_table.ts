/** The series of GET /metrics as docs/metrics.md shows them. */

import { genAiSeries } from "../../server/metrics/gen_ai_series.ts";
import type { RenamedSeries, Series } from "../../server/metrics/series_row.ts";
import { tollgateSeries } from "../../server/metrics/tollgate_series.ts";

const servedName = ({ type }: Pick<Series, "type">, name: string | null): string =>
  name === null ? "–" : `\`${type === "counter" ? `${name}_total` : name}\``;

const labelsOf = ({ labels }: Pick<Series, "labels">): string =>
  Object.keys(labels).map((label) => `\`${label}\``).join(", ") || "–";

export function seriesTables(): string {
  const renamed = Object.values<RenamedSeries>(genAiSeries).map((row) => {
    const { names, type, help } = row;
    const both = `${servedName(row, names["v1.41"])} | ${servedName(row, names.latest)}`;
    return `| ${both} | ${type} | ${labelsOf(row)} | ${help} |`;
  });
  const own = Object.values<Series>(tollgateSeries).map((row) =>
    `| ${servedName(row, row.name)} | ${row.type} | ${labelsOf(row)} | ${row.help} |`
  );
  return [
    "| 1.41 | newest | type | labels | meaning |",
    "|---|---|---|---|---|",
    ...renamed,
    "",
    "Money, limits and health, for which there are no conventions:",
    "",
    "| series | type | labels | meaning |",
    "|---|---|---|---|",
    ...own,
  ].join("\n");
}
