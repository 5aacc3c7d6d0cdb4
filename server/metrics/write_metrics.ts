/** Metrics as text: Prometheus' own form, and OpenMetrics. */

import { formatUsd, toNanoUsd } from "../../shared/money.ts";
import type { Work } from "../../shared/util/run_work.ts";
import type { MetricRegistry, Sample } from "./registry.ts";
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
    for (const sample of samples) {
      parts.push(sample.text ??= writeSample(series, sample));
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

function writeSample(series: Series, sample: Sample): string {
  const lines = sample.lines ??= lineStarts(series, sample);
  if (sample.counts === undefined) return `${lines[0]} ${valueOf(series, sample.value)}\n`;
  let text = "";
  let sum = 0;
  for (const [at, count] of sample.counts.entries()) text += `${lines[at]} ${sum += count}\n`;
  const [total, all] = lines.slice(sample.counts.length);
  return `${text}${total} ${sample.value}\n${all} ${sum}\n`;
}

const valueOf = ({ isMoney }: Series, value: number): string =>
  isMoney === true ? formatUsd(toNanoUsd(value)) : String(value);

/** Beginnings of a sample's lines: of a histogram its buckets, its sum and its count. */
function lineStarts({ name, type, labels, buckets }: Series, sample: Sample): readonly string[] {
  const pairs = Object.keys(labels).flatMap((label, at) => {
    const value = sample.labels[at] ?? "";
    return value === "" ? [] : [`${label}="${escapeValue(value)}"`];
  });
  const within = (more: readonly string[] = []) => {
    const all = [...pairs, ...more];
    return all.length === 0 ? "" : `{${all.join(",")}}`;
  };
  if (type === "counter") return [`${name}_total${within()}`];
  if (buckets === undefined) return [`${name}${within()}`];
  const bounds = [...buckets.map(canonicalNumber), "+Inf"];
  return [
    ...bounds.map((bound) => `${name}_bucket${within([`le="${bound}"`])}`),
    `${name}_sum${within()}`,
    `${name}_count${within()}`,
  ];
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
