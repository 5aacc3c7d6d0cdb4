/** The table of the console. */

import type { ConsoleReport } from "./console.ts";
import { type Buckets, number, render, show } from "./table.ts";

/** Nothing when the console was not measured. */
export function consoleText(report: ConsoleReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { keys, receipts, rows } = report;
  const head: Buckets = [`console, ${number(keys)} keys, ${number(receipts)} receipts`, "ms", "requests"];
  return [render([head, ...rows.map(({ name, ms, requests }) => [name, show(ms), show(requests)])])];
}
