/** What the figures of the console should be. */

import { type Aim, atMost } from "./aim.ts";
import type { ConsoleReport } from "./console.ts";

const mostMs = (name: string): number =>
  name === "overview, cold" ? 1_000 : name === "overview, warm" ? 500 : 150;

export function consoleAims(report: ConsoleReport | undefined): readonly Aim[] {
  return (report?.rows ?? []).flatMap(({ name, ms, requests }) => [
    atMost(mostMs(name), { what: `console, ${name}: ms`, measured: ms.median }),
    ...(name.startsWith("keys")
      ? [atMost(1, { what: `console, ${name}: requests`, measured: requests.median })]
      : []),
  ]);
}
