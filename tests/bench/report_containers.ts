/** The table of containers, and what its figures should be. */

import { type Aim, atLeast, atMost } from "./aim.ts";
import type { ContainersReport } from "./containers.ts";
import { render, show } from "./table.ts";

export function containersText(report: ContainersReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { floor, warm, withSpare, withoutSpare, firstPython, warmPython } = report;
  const commands = render([
    ["containers", "ms"],
    ["deno eval ''", show(floor)],
    ["echo hi, warm", show(warm)],
    ["echo hi, new with a spare", show(withSpare)],
    ["echo hi, new without", show(withoutSpare)],
    ["python3 -c 'print(1)', first", show(firstPython)],
    ["python3 -c 'print(1)', warm", show(warmPython)],
  ]);
  const beside = render([
    ["beside endless loops", "figure"],
    ["requests/s, × without", show(report.besideLoops)],
    ["gap p99 of streams, ms", show(report.gapP99BesideLoops)],
    ["the same without loops", show(report.gapP99Alone)],
    ["lost, failed", `${report.lost}, ${report.failures}`],
  ]);
  return [commands, beside];
}

export function containersAims(report: ContainersReport | undefined): readonly Aim[] {
  if (report === undefined) return [];
  const { floor: { median: floor } } = report;
  return [
    atMost(0.1, {
      what: "echo hi in a warm container, × the start of a process",
      measured: report.warm.median / floor,
    }),
    atMost(1, {
      what: "echo hi in a new container with a spare, × that start",
      measured: report.withSpare.median / floor,
    }),
    atMost(3 * floor + 100, {
      what: "echo hi in a new container without, ms",
      measured: report.withoutSpare.median,
    }),
    atMost(0.25, {
      what: "python3 -c 'print(1)' warm, × that start",
      measured: report.warmPython.median / floor,
    }),
    atMost(8_000, { what: "python3 -c 'print(1)' the first time, ms", measured: report.firstPython.median }),
    atLeast(0.5, { what: "requests/s beside endless loops, × without", measured: report.besideLoops.median }),
    atMost(60, {
      what: "gap p99 of streams beside endless loops, ms",
      measured: report.gapP99BesideLoops.median,
    }),
  ];
}
