/** Spend over the period, by model, provider, key or workspace. */

import { ChipSelect } from "../../components/chip.tsx";
import type { Bucket } from "../../charts/chart_shape.ts";
import { SpendChart } from "../../charts/spend_chart.tsx";
import { formatMoment, formatShortDay, formatTime, formatUsd, modelNames, shortId } from "../../format.ts";
import { type Dimension, dimensions, type OverviewModel } from "../../models/overview.ts";
import { sumOf } from "../../models/series.ts";
import { status } from "../../status.ts";
import { overviewText } from "../../text/overview.ts";
import { workspaceName } from "../../workspaces.ts";
import { changeNote } from "./change_note.ts";

const choices = dimensions.map((value) => ({ value, text: overviewText.dimensions[value] }));

interface Group {
  readonly by: Dimension;
  readonly value: string;
}

/** A group as people know it. */
export function groupName(model: OverviewModel, { by, value }: Group): string {
  const read = model.spend.data.value;
  switch (by) {
    case "workspace":
      return workspaceName(value);
    case "model":
      return modelNames([...read?.values ?? []]).get(value) ?? value;
    case "provider":
      return status.data.value?.endpoints.find(({ provider }) => provider === value)?.provider_name ?? value;
    case "user":
    case "session_id":
    case "app_title":
    case "preset":
      return value;
    case "api_key_id":
      return read?.keyNames.get(value) ?? overviewText.deletedKey(shortId(value));
  }
}

export function formatBucket({ from, to }: Bucket): string {
  if (to - from >= 86_400_000) return `${formatShortDay(from)} UTC`;
  return `${formatShortDay(from)}, ${formatTime(from)} to ${formatTime(to)} UTC`;
}

/** Five moments below the axis. */
export function marksOf(buckets: readonly Bucket[]): readonly string[] {
  const first = buckets[0];
  if (first === undefined) return [];
  const byDay = first.to - first.from >= 86_400_000;
  const at = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    buckets[Math.round(share * (buckets.length - 1))]?.from ?? 0
  );
  return at.map((moment) => byDay ? formatShortDay(moment) : formatTime(moment));
}

function Controls({ model }: { readonly model: OverviewModel }) {
  const isOn = model.isCumulative.value;
  return (
    <>
      <ChipSelect
        label={overviewText.by}
        choices={choices}
        value={model.by.value}
        onChange={(value) => model.setBy(value)}
      />
      <button
        type="button"
        class={`chip${isOn ? " chip-on" : ""}`}
        aria-pressed={isOn}
        onClick={() => model.showCumulative(!isOn)}
      >
        {overviewText.cumulative}
      </button>
    </>
  );
}

export function SpendByDimension({ model }: { readonly model: OverviewModel }) {
  const data = model.spend.data.value;
  const by = data?.by ?? model.by.value;
  const { span, granularity, buckets, running } = data?.period ?? model.period;
  const series = (data?.series ?? []).map((one) =>
    data?.values.has(one.name) === true ? { ...one, name: groupName(model, { by, value: one.name }) } : one
  );
  const total = formatUsd(series.reduce((sum, one) => sum + sumOf(one), 0));
  const note = overviewText.spendNote({ usd: total, period: span, by: overviewText.units[granularity] });
  const until = data?.scannedUntil ?? undefined;
  const change = until === undefined
    ? changeNote(model.comparison.data.value, "usd")
    : overviewText.scannedUntil(formatMoment(until));
  return (
    <SpendChart
      title={overviewText.spend}
      note={change === undefined ? note : `${note} · ${change}`}
      label={overviewText.spendLabel({ usd: total, period: span, by: overviewText.dimensions[by] })}
      buckets={buckets}
      running={running}
      series={series}
      isCumulative={model.isCumulative.value}
      asTable={model.asTable.value}
      onSwitch={(shown) => model.showTable(shown)}
      empty={data === undefined ? "" : overviewText.nothingSpent}
      formatBucket={formatBucket}
      marks={marksOf(buckets)}
      controls={<Controls model={model} />}
    />
  );
}
