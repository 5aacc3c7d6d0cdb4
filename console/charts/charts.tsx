/** Bars for money and counts per period, lines for percentiles, and the same data as a table. */

import { RequestsLink, type RequestsOf } from "../components/requests_link.tsx";
import { commonText } from "../text/common.ts";
import { axisTop, type Bucket, highest, linePath, type Series, stackedBars } from "./chart_shape.ts";
import { Plot, type PlotProps, Swatch } from "./plot.tsx";

type ChartProps = Omit<PlotProps, "top" | "children">;

interface BarChartProps extends ChartProps {
  /** The place of the bucket that is not over yet. */
  readonly running?: number;
  /** The values are counts. */
  readonly whole?: boolean;
}

/** Stacked bars. The bucket that is not over yet is paler: half an hour is not a drop. */
export function BarChart({ running, whole, ...props }: BarChartProps) {
  const top = axisTop(highest(props.series, { stacked: true }), { parts: props.parts, whole });
  return (
    <Plot {...props} top={top}>
      {stackedBars(props.series, { top, running }).flatMap(({ hue, past, running: now }) => [
        <path key={hue} class={hue} d={past} />,
        now === "" ? null : <path key={`${hue}-now`} class={`${hue} bar-now`} d={now} />,
      ])}
    </Plot>
  );
}

export function LineChart(props: ChartProps) {
  const top = axisTop(highest(props.series, { stacked: false }), { parts: props.parts });
  return (
    <Plot {...props} top={top}>
      {props.series.map((series) => (
        <path key={series.name} class={`line ${series.hue}`} d={linePath(series, top)} />
      ))}
    </Plot>
  );
}

interface LegendEntry {
  readonly name: string;
  readonly hue: string;
  readonly value: string;
  /** The requests that the value counts. */
  readonly of?: RequestsOf;
}

export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  return (
    <ul class="legend">
      {entries.map(({ name, hue, value, of }) => (
        <li key={name}>
          <Swatch hue={hue} />
          <span>
            {name} <b>{of === undefined ? value : <RequestsLink of={of}>{value}</RequestsLink>}</b>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ChartTableProps {
  readonly caption: string;
  readonly series: readonly Series[];
  readonly buckets: readonly Bucket[];
  readonly formatBucket: (bucket: Bucket) => string;
  readonly formatValue: (value: number) => string;
}

/** The data of a chart, row by row, the newest first. */
export function ChartTable({ caption, series, buckets, formatBucket, formatValue }: ChartTableProps) {
  return (
    <div class="chart-table" role="region" aria-label={caption} tabIndex={0}>
      <table class="mini">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{commonText.period}</th>
            {series.map(({ name }) => <th key={name} scope="col" class="num">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, at) => (
            <tr key={bucket.from}>
              <td>{formatBucket(bucket)}</td>
              {series.map(({ name, values }) => {
                const value = values[at] ?? null;
                return <td key={name} class="num">{value === null ? "–" : formatValue(value)}</td>;
              })}
            </tr>
          )).toReversed()}
        </tbody>
      </table>
    </div>
  );
}
