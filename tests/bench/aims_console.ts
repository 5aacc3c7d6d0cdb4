/** Aims for the figures of the console. */

import { type Aim, atMost } from "./aim.ts";
import type { ConsoleReport } from "./console.ts";

const mostMs = (name: string): number => {
  if (name.endsWith(", cold") || name.startsWith("requests, ")) return 1_000;
  if (name === "overview, warm") return 500;
  return name.startsWith("requests: ") ? 200 : 150;
};

export function consoleAims(report: ConsoleReport | undefined): readonly Aim[] {
  if (report === undefined) return [];
  const browsing = {
    what: "console, ten sessions: p99 of requests, × alone",
    measured: report.browsing.ratio.median,
  };
  return [
    atMost(2, browsing),
    ...report.rows.flatMap(({ name, ms, requests }) => [
      atMost(mostMs(name), { what: `console, ${name}: ms`, measured: ms.median }),
      ...(name.startsWith("keys")
        ? [atMost(1, { what: `console, ${name}: requests`, measured: requests.median })]
        : []),
    ]),
  ];
}
