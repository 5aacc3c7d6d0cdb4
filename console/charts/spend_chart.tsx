/** Money per period by who or what spent it, as a chart or as a table. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Segments } from "../components/forms/segments.tsx";
import { formatAxisUsd, formatPercent, formatUsd } from "../format.ts";
import { addUp, sumOf } from "../models/series.ts";
import { chartText } from "../text/charts.ts";
import { BarChart, ChartTable } from "./charts.tsx";
import { Swatch } from "./plot.tsx";
import type { Bucket, Series } from "./chart_shape.ts";

interface SpendChartProps {
  readonly title: string;
  /** Beside the title: the sum and the period. */
  readonly note: string;
  /** For screen readers. */
  readonly label: string;
  readonly buckets: readonly Bucket[];
  /** Place of the bucket that is not over yet; undefined where all are. */
  readonly running: number | undefined;
  readonly series: readonly Series[];
  /** Each bucket has what was spent before it in the period, too. */
  readonly isCumulative?: boolean;
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

interface LegendListProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}

/** Every series with its sum and share; a press takes it out of the chart and back. */
function LegendList({ label, series, hidden, onToggle }: LegendListProps) {
  const all = series.reduce((sum, one) => sum + sumOf(one), 0);
  return (
    <ul class="legend-list" aria-label={label}>
      {series.map((one) => (
        <li key={one.name}>
          <button type="button" aria-pressed={!hidden.has(one.name)} onClick={() => onToggle(one.name)}>
            <Swatch hue={hidden.has(one.name) ? "f-soft" : one.hue} />
            <span class="cut" title={one.name}>{one.name}</span>
            <span>{formatUsd(sumOf(one))}</span>
            <span class="num faint">{formatPercent(all === 0 ? 0 : sumOf(one) / all)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const drawn = (series: readonly Series[], isCumulative: boolean) => isCumulative ? series.map(addUp) : series;

function Plotted(props: SpendChartProps) {
  const { title, series, buckets, label, formatBucket, marks, isCumulative = false } = props;
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const toggle = (name: string) => {
    const next = new Set(hidden.value);
    if (!next.delete(name)) next.add(name);
    hidden.value = next;
  };
  return (
    <div class="chart-split">
      <BarChart
        label={`${label}. ${chartText.behind}`}
        series={drawn(series, isCumulative).filter(({ name }) => !hidden.value.has(name))}
        buckets={buckets}
        parts={4}
        size="tall"
        running={props.running}
        total={chartText.together}
        formatTick={formatAxisUsd}
        formatValue={(usd) => formatUsd(usd, 4)}
        formatBucket={formatBucket}
        marks={marks}
      />
      <LegendList label={title} series={series} hidden={hidden.value} onToggle={toggle} />
    </div>
  );
}

export function SpendChart(props: SpendChartProps) {
  const { title, note, series, asTable, onSwitch, empty, controls, isCumulative = false } = props;
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
            series={drawn(series, isCumulative)}
            caption={chartText.asTable(title)}
            formatValue={(usd) => formatUsd(usd, 4)}
          />
        )
        : <Plotted {...props} />}
    </section>
  );
}
