/** The histogram above the list: answered, refused and failed requests; a span of it narrows the time. */

import { BarChart, Legend } from "../../charts/charts.tsx";
import type { Bucket } from "../../charts/chart_shape.ts";
import {
  formatCount,
  formatMoment,
  formatShort,
  formatShortDay,
  formatSpan,
  formatTime,
} from "../../format.ts";
import type { createHistogram, RequestHistogram } from "../../models/requests/histogram.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { requestsText } from "../../text/requests.ts";

const DAY_S = 86_400;
const MARKS = 5;

/** `10 min`, `1 h`, `1 d`: whole units only. */
const barName = (seconds: number): string => formatSpan(1_000 * seconds).replace(/ 0 (?:h|min)$/, "");

function bucketName({ from, to }: Bucket, barSeconds: number): string {
  if (barSeconds >= DAY_S) return formatShortDay(from);
  return `${formatShortDay(from)}, ${formatTime(from)}–${formatTime(to)}`;
}

/** Moments below the axis, evenly spread. */
function marksOf({ buckets, barSeconds }: RequestHistogram): readonly string[] {
  const span = (buckets.at(-1)?.to ?? 0) - (buckets[0]?.from ?? 0);
  return Array.from({ length: Math.min(MARKS, buckets.length) }, (_, at) => {
    const { from = 0 } = buckets[Math.round(at * (buckets.length - 1) / (MARKS - 1))] ?? {};
    if (barSeconds >= DAY_S) return formatShortDay(from);
    return span > 1_000 * DAY_S ? `${formatShortDay(from)} ${formatTime(from)}` : formatTime(from);
  });
}

function Bars({ model, found }: { readonly model: RequestsModel; readonly found: RequestHistogram }) {
  const { buckets, series, sums, barSeconds, countedFrom } = found;
  const bad = requestsText.badCounts(sums.failed, sums.refused);
  const note = requestsText.histogramNote(sums.answered + sums.failed + sums.refused, bad);
  const runsOn = model.time.until === undefined && (buckets.at(-1)?.to ?? 0) > model.now;
  return (
    <>
      <div class="chart-head">
        <h2>{requestsText.histogram(barSeconds, barName(barSeconds))}</h2>
        <p>
          {countedFrom === null ? note : `${note}, ${requestsText.countedFrom(formatMoment(countedFrom))}`}
        </p>
      </div>
      <BarChart
        label={requestsText.histogramLabel(note)}
        series={series}
        buckets={buckets}
        parts={2}
        size="low"
        whole
        running={runsOn ? buckets.length - 1 : undefined}
        narrowing={{ hint: requestsText.narrow, onNarrow: (from, to) => model.narrow(from, to) }}
        formatTick={formatShort}
        formatValue={formatCount}
        formatBucket={(bucket) => bucketName(bucket, barSeconds)}
        marks={marksOf(found)}
      />
      <Legend
        entries={series.map(({ name, hue, values }) => ({
          name,
          hue,
          value: formatCount(values.reduce<number>((sum, value) => sum + (value ?? 0), 0)),
        }))}
      />
    </>
  );
}

export function Histogram({ model, histogram }: {
  readonly model: RequestsModel;
  readonly histogram: ReturnType<typeof createHistogram>;
}) {
  if (model.filters.value.id !== undefined || histogram.failure.value !== undefined) return null;
  const found = histogram.data.value;
  return (
    <section class="box chart" aria-label={requestsText.title}>
      {found === undefined
        ? (
          <div class="bone-plot bone-plot-low">
            <span class="bone bone-fill" />
          </div>
        )
        : <Bars model={model} found={found} />}
    </section>
  );
}
