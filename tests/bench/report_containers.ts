/** The table of containers, and what its figures should be. */

import { type Aim, atLeast, atMost } from "./aim.ts";
import type { ContainersReport } from "./containers.ts";
import { number, render, show } from "./table.ts";

const MIB = 1024 * 1024;

/** Most that a command should take, × `deno eval ''` beside it. */
const factors = {
  virtual: { warm: 0.1, withSpare: 1, warmPython: 0.25 },
  bubblewrap: { warm: 1, withSpare: 1, warmPython: 1.5 },
} as const;

/** A column for each engine. */
export function containersText(reports: readonly ContainersReport[] = []): readonly string[] {
  if (reports.length === 0) return [];
  const row = (name: string, figure: (report: ContainersReport) => string) => [name, ...reports.map(figure)];
  const engines = reports.map(({ engine }) => engine);
  const commands = render([
    ["containers, ms", ...engines],
    row("deno eval ''", ({ floor }) => show(floor)),
    row("echo hi, warm", ({ warm }) => show(warm)),
    row("echo hi, new with a spare", ({ withSpare }) => show(withSpare)),
    row("echo hi, new without", ({ withoutSpare }) => show(withoutSpare)),
    row("python3 -c 'print(1)', first", ({ firstPython }) => show(firstPython)),
    row("python3 -c 'print(1)', warm", ({ warmPython }) => show(warmPython)),
    row("MiB of an open one", ({ openBytes }) => number((openBytes ?? NaN) / MIB)),
  ]);
  const beside = render([
    ["beside endless loops", ...engines],
    row("requests/s, × without", ({ besideLoops }) => show(besideLoops)),
    row("gap p99 of streams, ms", ({ gapP99BesideLoops }) => show(gapP99BesideLoops)),
    row("the same without loops", ({ gapP99Alone }) => show(gapP99Alone)),
    row("lost, failed", ({ lost, failures }) => `${lost}, ${failures}`),
  ]);
  return [commands, beside];
}

export const containersAims = (reports: readonly ContainersReport[] = []): readonly Aim[] =>
  reports.flatMap(aimsOf);

function aimsOf(report: ContainersReport): readonly Aim[] {
  const { engine, floor: { median: floor }, gapP99Alone, gapP99BesideLoops, openBytes } = report;
  const factor = factors[engine];
  const own: readonly Aim[] = engine === "virtual"
    ? [
      atMost(3 * floor + 100, {
        what: "virtual: echo hi in a new container without a spare, ms",
        measured: report.withoutSpare.median,
      }),
      atMost(8_000, {
        what: "virtual: python3 -c 'print(1)' the first time, ms",
        measured: report.firstPython.median,
      }),
    ]
    : [atMost(2, { what: `${engine}: an open container, MiB`, measured: (openBytes ?? NaN) / MIB })];
  return [
    atMost(factor.warm, {
      what: `${engine}: echo hi in a warm container, × the start of a process`,
      measured: report.warm.median / floor,
    }),
    atMost(factor.withSpare, {
      what: `${engine}: echo hi in a new container with a spare, × that start`,
      measured: report.withSpare.median / floor,
    }),
    atMost(factor.warmPython, {
      what: `${engine}: python3 -c 'print(1)' warm, × that start`,
      measured: report.warmPython.median / floor,
    }),
    ...own,
    atLeast(0.5, {
      what: `${engine}: requests/s beside endless loops, × without`,
      measured: report.besideLoops.median,
    }),
    atMost(2 * gapP99Alone.median + 20, {
      what: `${engine}: gap p99 of streams beside endless loops, ms`,
      measured: gapP99BesideLoops.median,
    }),
  ];
}
