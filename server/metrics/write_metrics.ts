/** Metrics as text: Prometheus' own form, and OpenMetrics. */

import { formatUsd, toNanoUsd } from "../../shared/money.ts";
import type { Work } from "../../shared/util/run_work.ts";
import { joinStrings } from "../../shared/util/text.ts";
import type { Exemplar, MetricRegistry, Sample } from "./registry.ts";
import type { Series } from "./series_row.ts";

export type MetricsFormat = "prometheus" | "openmetrics";

export const contentTypes: { readonly [F in MetricsFormat]: string } = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Samples between two pauses. */
const AT_ONCE = 50;

/** Writes all series; thousands of samples take a moment, so it offers pauses. */
export function* writeMetrics(registry: MetricRegistry, format: MetricsFormat): Work<string> {
  const parts: string[] = [];
  let written = 0;
  for (const { series, samples } of registry.read()) {
    parts.push(headOf(series, format));
    const row = rowOf(series);
    for (const sample of samples) {
      const traced = format === "openmetrics" ? sample.exemplars : undefined;
      parts.push(traced ? writeSample(row, sample, { traced }) : sample.text ??= writeSample(row, sample));
      if (++written % AT_ONCE === 0) yield;
    }
  }
  if (format === "openmetrics") parts.push("# EOF\n");
  return parts.join("");
}

function headOf({ name, type, help, unit }: Series, format: MetricsFormat): string {
  // Prometheus' own form describes a counter by the name of its samples.
  const described = format === "prometheus" && type === "counter" ? `${name}_total` : name;
  const of = `# UNIT ${described} ${unit}\n`;
  return `# HELP ${described} ${escapeHelp(help)}\n# TYPE ${described} ${type}\n` +
    (unit !== undefined && format === "openmetrics" ? of : "");
}

/** A series with the texts that its samples share. */
interface Row {
  readonly series: Series;
  readonly labelNames: readonly string[];
  /** Ends of the labels of its buckets. */
  readonly bounds: readonly string[];
}

const rowOf = (series: Series): Row => ({
  series,
  labelNames: Object.keys(series.labels),
  bounds: [...(series.buckets ?? []).map(canonicalNumber), "+Inf"].map((bound) => `le="${bound}"} `),
});

interface Telling {
  /** Exemplars of its buckets, which OpenMetrics alone has. */
  readonly traced?: Sample["exemplars"];
}

function writeSample(
  { series, labelNames, bounds }: Row,
  sample: Sample,
  { traced }: Telling = {},
): string {
  const { name, type } = series;
  const own = sample.labelText ??= labelText(labelNames, sample.labels);
  const all = own === "" ? " " : `{${own}} `;
  if (sample.counts === undefined) {
    const end = type === "counter" ? "_total" : "";
    return joinStrings(name, end, all, valueOf(series, sample.value), "\n");
  }
  const start = joinStrings(name, "_bucket{", own, own === "" ? "" : ",");
  const chunks: string[] = [];
  let sum = 0;
  for (const [at, count] of sample.counts.entries()) {
    sum += count;
    chunks.push(start, bounds[at] ?? "", String(sum), exemplarText(traced?.get(at)), "\n");
  }
  chunks.push(name, "_sum", all, String(sample.value), "\n", name, "_count", all, String(sum), "\n");
  return joinStrings(...chunks);
}

const exemplarText = (exemplar: Exemplar | undefined): string =>
  exemplar === undefined ? "" : ` # {trace_id="${exemplar.id}"} ${exemplar.value} ${exemplar.at}`;

const valueOf = ({ isMoney }: Series, value: number): string =>
  isMoney === true ? formatUsd(toNanoUsd(value)) : String(value);

/** Labels as they stand between braces; one that is not told is left out. */
function labelText(names: readonly string[], values: readonly string[]): string {
  const pairs = names.flatMap((name, at) => {
    const value = values[at] ?? "";
    return value === "" ? [] : [`${name}="${escapeValue(value)}"`];
  });
  return pairs.join(",");
}

/** A number as OpenMetrics wants it of a bound: `1.0`, `1e+06`. */
function canonicalNumber(value: number): string {
  if (value >= 1e6) return value.toExponential().replace(/e\+(\d)$/, "e+0$1");
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

/** The form that a reader asks for: OpenMetrics only where it is named and not refused. */
export function metricsFormat(accept: string | null): MetricsFormat {
  const named = (accept ?? "").split(",").find((part) =>
    part.trim().toLowerCase().startsWith("application/openmetrics-text")
  );
  return named !== undefined && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(named) ? "openmetrics" : "prometheus";
}
