/** Figures and tables as text. */

import type { Spread } from "./stats.ts";

export function number(value: number): string {
  if (Number.isNaN(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `median (min–max)`, or the median alone when there was one repetition. */
export function show({ min, median, max }: Spread): string {
  return min === max || Number.isNaN(median)
    ? number(median)
    : `${number(median)} (${number(min)}–${number(max)})`;
}

export type Buckets = readonly string[];

export function render(rows: readonly Buckets[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((bucket, at) => widths[at] = Math.max(widths[at] ?? 0, bucket.length));
  const line = (row: Buckets) => row.map((bucket, at) => bucket.padEnd(widths[at] ?? 0)).join("  ").trimEnd();
  const [head = [], ...rest] = rows;
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rest.map(line)].join("\n");
}
