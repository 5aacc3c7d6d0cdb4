/** The table of the soak, and what its figures should be. */

import { type Aim, atMost } from "./aim.ts";
import type { Holdings, SoakReport } from "./soak.ts";
import { number, render } from "./table.ts";

/** How far what is held may stand from what was held before, as a part of that. */
const MOST_CHANGE = 0.1;
const MOST_GROWTH_MIB = 150;

const figures = [
  ["RSS, MiB", "rssMib"],
  ["heap, MiB", "heapMib"],
  ["handles", "handles"],
] as const satisfies readonly (readonly [string, keyof Holdings])[];

type Held = Pick<SoakReport, "before" | "after">;

export const changeOf = ({ before, after }: Held, figure: keyof Holdings): number =>
  after[figure] / before[figure] - 1;

/** A row for each figure: before, after, and by how much it changed. */
export const holdingRows = (held: Held): readonly (readonly string[])[] =>
  figures.map(([name, figure]) => [
    name,
    number(held.before[figure]),
    number(held.after[figure]),
    `${number(100 * changeOf(held, figure))} %`,
  ]);

export function soakText(report: SoakReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { streams, seconds, ended, growthMib, failures } = report;
  return [render([
    [`${streams} streams of server tools, ${seconds} s`, "before", "after", "change"],
    ...holdingRows(report),
    ["most RSS meanwhile, MiB beyond", number(growthMib), "", ""],
    ["streams that ended, failed", `${ended}`, `${failures}`, ""],
  ])];
}

export function soakAims(report: SoakReport | undefined): readonly Aim[] {
  if (report === undefined) return [];
  return [
    ...figures.map(([name, figure]) =>
      atMost(MOST_CHANGE, {
        what: `${name} after a soak of loops, change`,
        measured: Math.abs(changeOf(report, figure)),
      })
    ),
    atMost(MOST_GROWTH_MIB, { what: "RSS during a soak of loops, MiB beyond", measured: report.growthMib }),
  ];
}
