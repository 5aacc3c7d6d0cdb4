/** The table of the tails, and what their figures should be. */

import { type Aim, atMost } from "./aim.ts";
import { changeOf, holdingRows } from "./report_soak.ts";
import { number, render } from "./table.ts";
import type { TailsReport } from "./tails.ts";

/** How far the heap may stand from what it was before, as a part of that. */
const MOST_CHANGE = 0.1;
const MOST_GONE_MS = 1_000;
const MOST_TOLD_MS = 1_000;

export const tailsLost = (report: TailsReport | undefined): number =>
  report?.tails.reduce((sum, { lost }) => sum + Math.abs(lost), 0) ?? 0;

export function tailsText(report: TailsReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { perSecond, seconds, answered, tails, searches, toldP99, growthMib, goneMs, failures } = report;
  return [
    render([
      ["tails of receipts beside a search", "asked/s", "s", "answered", "told", "left out", "lost", "failed"],
      ...tails.map(({ told, leftOut, lost }, at) => [
        `tail ${at + 1}`,
        `${perSecond}`,
        number(seconds),
        number(answered),
        number(told),
        number(leftOut),
        `${lost}`,
        `${failures}`,
      ]),
    ]),
    render([
      ["the gateway of the tails", "before", "after", "change"],
      ...holdingRows(report),
      ["most RSS meanwhile, MiB beyond", number(growthMib), "", ""],
      ["searches meanwhile", number(searches), "", ""],
      ["told after the answer's end, p99 ms", number(toldP99), "", ""],
      ["20 readers that left are gone, ms", number(goneMs), "", ""],
    ]),
  ];
}

export function tailsAims(report: TailsReport | undefined): readonly Aim[] {
  if (report === undefined) return [];
  return [
    atMost(0, { what: "receipts that a tail neither told of nor counted", measured: tailsLost(report) }),
    atMost(MOST_CHANGE, {
      what: "heap after tails, change",
      measured: Math.abs(changeOf(report, "heapMib")),
    }),
    atMost(MOST_GONE_MS, { what: "20 readers of tails that left are gone, ms", measured: report.goneMs }),
    atMost(MOST_TOLD_MS, { what: "a tail tells of a receipt, p99 ms", measured: report.toldP99 }),
  ];
}
