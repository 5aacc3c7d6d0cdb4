/** Money per period by who or what spent it, as a chart or as a table. */

import type { ComponentChildren } from "preact";
import { Segments } from "../components/segments.tsx";
import { formatAxisUsd, formatUsd } from "../format.ts";
import { sumOf } from "../models/series.ts";
import { chartText } from "../text/charts.ts";
import { BarChart, ChartTable, Legend } from "./charts.tsx";
import type { Bucket, Series } from "./chart_shape.ts";

export interface SpendChartProps {
  readonly title: string;
  /** Beside the title: the sum and the period. */
  readonly note: string;
  /** For screen readers. */
  readonly label: string;
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  readonly asTable: boolean;
  readonly onSwitch: (asTable: boolean) => void;
  /** Stands in the chart's place where nothing was spent. */
  readonly empty: string;
  readonly formatBucket: (bucket: Bucket) => string;
  readonly marks: readonly string[];
  /** More controls in the head. */
  readonly controls?: ComponentChildren;
}

const choices = [{ value: "chart", text: chartText.chart }, {
  value: "table",
  text: chartText.table,
}] as const;

function Plotted(props: SpendChartProps) {
  const { series, buckets, label, formatBucket, marks } = props;
  return (
    <>
      <BarChart
        label={`${label}. ${chartText.behind}`}
        series={series}
        buckets={buckets}
        parts={4}
        size="tall"
        running={buckets.length - 1}
        total={chartText.together}
        formatTick={formatAxisUsd}
        formatValue={(usd) => formatUsd(usd, 4)}
        formatBucket={formatBucket}
        marks={marks}
      />
      <Legend
        entries={series.map((one) => ({ name: one.name, hue: one.hue, value: formatUsd(sumOf(one)) }))}
      />
    </>
  );
}

export function SpendChart(props: SpendChartProps) {
  const { title, note, series, asTable, onSwitch, empty, controls } = props;
  return (
    <section class="box chart" aria-label={title}>
      <div class="chart-head">
        <h2>{title}</h2>
        <p>{note}</p>
        <span class="push row">
          {controls}
          <Segments
            label={chartText.shownAs}
            choices={choices}
            value={asTable ? "table" : "chart"}
            onChange={(value) => onSwitch(value === "table")}
          />
        </span>
      </div>
      {series.length === 0 ? <p class="soft empty">{empty}</p> : asTable
        ? (
          <ChartTable
            {...props}
            caption={chartText.asTable(title)}
            formatValue={(usd) => formatUsd(usd, 4)}
          />
        )
        : <Plotted {...props} />}
    </section>
  );
}
