/** Requests, latency and tokens over the period. */

import type { ComponentChildren } from "preact";
import { BarChart, Legend, LineChart } from "../../charts/charts.tsx";
import type { RequestsOf } from "../../components/requests_link.tsx";
import { formatCount, formatMs, formatPercent, formatShort } from "../../format.ts";
import type { OverviewModel } from "../../models/overview.ts";
import type { Totals } from "../../models/overview_totals.ts";
import { sumOf } from "../../models/series.ts";
import { overviewText } from "../../text/overview.ts";
import { changeNote } from "./change_note.ts";
import { formatBucket, marksOf } from "./spend_by_dimension.tsx";

interface ChartProps {
  readonly totals: Totals;
  readonly period: string;
  /** Change against the period before; undefined where nothing is over yet. */
  readonly change?: string | undefined;
}

function ChartBox({ title, note, change, children }: {
  readonly title: string;
  readonly note?: string;
  readonly change?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="box chart" aria-label={title}>
      <div class="chart-head">
        <h2>{title}</h2>
        {note !== undefined && <p class="push">{note}</p>}
      </div>
      {change !== undefined && <p class="small faint">{change}</p>}
      {children}
    </section>
  );
}

const frameOf = ({ period: { buckets } }: Totals) => ({
  buckets,
  parts: 2,
  formatBucket,
  marks: marksOf(buckets),
});

/** Filters behind the series of requests; no single state stands for all that was answered. */
const ofSeries: ReadonlyMap<string, RequestsOf> = new Map([
  [overviewText.failed, { status: "failed" }],
  [overviewText.refused, { status: "refused" }],
]);

function Requests({ totals, period, change }: ChartProps) {
  const { requests, failed } = totals.all;
  const [all, bad] = [formatCount(requests), formatCount(failed)];
  const refused = formatCount(totals.all.refused);
  return (
    <ChartBox
      title={overviewText.requests}
      change={change}
      note={overviewText.failedOf({
        failed: bad,
        all,
        refused,
        share: formatPercent(requests === 0 ? 0 : failed / requests),
      })}
    >
      <BarChart
        {...frameOf(totals)}
        label={overviewText.requestsLabel({ all, failed: bad, refused, period })}
        series={totals.requests}
        running={totals.period.running}
        whole
        formatTick={formatShort}
        formatValue={formatCount}
      />
      <Legend
        entries={totals.requests.map((one) => ({
          name: one.name,
          hue: one.hue,
          value: formatCount(sumOf(one)),
          of: ofSeries.get(one.name) ?? {},
        }))}
      />
    </ChartBox>
  );
}

function Latency({ totals, period }: ChartProps) {
  const last = (values: readonly (number | null)[]) => values.findLast((value) => value !== null) ?? null;
  return (
    <ChartBox title={overviewText.latency}>
      <LineChart
        {...frameOf(totals)}
        label={overviewText.latencyLabel(period)}
        series={totals.latency}
        formatTick={formatMs}
        formatValue={(ms) => formatMs(ms)}
      />
      <Legend
        entries={totals.latency.map(({ name, hue, values }) => {
          const newest = last(values);
          return { name, hue, value: newest === null ? "–" : formatMs(newest), of: {} };
        })}
      />
    </ChartBox>
  );
}

function Tokens({ totals, period, change }: ChartProps) {
  const [input, output] = [formatShort(totals.all.input), formatShort(totals.all.output)];
  return (
    <ChartBox
      title={overviewText.tokens}
      change={change}
      note={overviewText.tokensNote(formatShort(totals.all.input + totals.all.output), period)}
    >
      <BarChart
        {...frameOf(totals)}
        label={overviewText.tokensLabel({ input, output, period })}
        series={totals.tokens}
        running={totals.period.running}
        whole
        formatTick={formatShort}
        formatValue={formatCount}
      />
      <Legend
        entries={totals.tokens.map((one) => ({
          name: one.name,
          hue: one.hue,
          value: formatShort(sumOf(one)),
          of: {},
        }))}
      />
    </ChartBox>
  );
}

function Bone() {
  return (
    <section class="box chart" aria-hidden="true">
      <div class="bone-plot" />
    </section>
  );
}

export function TotalCharts({ model }: { readonly model: OverviewModel }) {
  const totals = model.totals.data.value;
  const period = totals?.period.span ?? "";
  const change = (name: "requests" | "tokens") => changeNote(model.comparison.data.value, name);
  return (
    <div class="grid-3">
      {totals === undefined ? [<Bone key={1} />, <Bone key={2} />, <Bone key={3} />] : (
        <>
          <Requests totals={totals} period={period} change={change("requests")} />
          <Latency totals={totals} period={period} />
          <Tokens totals={totals} period={period} change={change("tokens")} />
        </>
      )}
    </div>
  );
}
