/** The table of the console. */

import type { ConsoleReport } from "./console.ts";
import { type Buckets, number, render, show } from "./table.ts";

/** Nothing when the console was not measured. */
export function consoleText(report: ConsoleReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { keys, receipts, files, rows, browsing } = report;
  const store = `${number(keys)} keys, ${number(receipts)} receipts, ${number(files)} files`;
  const head: Buckets = [`console, ${store}`, "ms", "requests"];
  return [
    render([head, ...rows.map(({ name, ms, requests }) => [name, show(ms), show(requests)])]),
    render([
      ["requests, p99 ms", "alone", "while ten sessions open a view every 2 s", "×"],
      ["", show(browsing.alone), show(browsing.browsed), show(browsing.ratio)],
    ]),
  ];
}
