/** Checks of what a gateway reads at its start: settings, prices, scores and retirements. */

import type { DoctorOptions } from "./doctor_options.ts";
import { type CheckRow, ok, warning } from "./doctor_rows.ts";

/** Facts that a gateway has of itself. */
interface StartFacts extends Pick<DoctorOptions, "prices" | "scores" | "retirements"> {
  readonly config: Pick<DoctorOptions["config"], "warnings">;
}

function settings({ config: { warnings } }: StartFacts): readonly CheckRow[] {
  if (warnings.length === 0) return [ok("settings", "read without a fault")];
  return warnings.map((sentence) => warning("settings", sentence));
}

/** Most lines that are listed; the others are counted. */
const MOST_LINES = 20;

function listedLines(lines: readonly string[]): string {
  const more = lines.length > MOST_LINES ? `, and ${lines.length - MOST_LINES} more` : "";
  return `${lines.slice(0, MOST_LINES).join("; ")}${more}`;
}

function catalogPrices({ prices: { ages, warning: old, moves } }: StartFacts): readonly CheckRow[] {
  const age = old === undefined ? ok("catalog", ages) : warning("catalog", old);
  if (moves.length === 0) return [age, ok("price moves", "none by more than 5 times")];
  const found = `by more than 5 times: ${listedLines(moves)}`;
  return [age, warning("price moves", found)];
}

/** Tells how much of the catalog the scores cover by which routers rank. */
const routerScores = ({ scores: { coverage, warning: old } }: StartFacts): readonly CheckRow[] => [
  old === undefined ? ok("scores", coverage) : warning("scores", `${coverage}; ${old}`),
];

/** A model that nobody names in a setting is no fault: requests that name it will fail, and say so. */
function retiredModels({ retirements: { named, others } }: StartFacts): CheckRow {
  if (named.length > 0) {
    return warning("retirements", `named in the configuration file: ${listedLines(named)}`);
  }
  if (others.length === 0) return ok("retirements", "no model that is on ends within 60 days");
  return ok("retirements", `none that the configuration file names; others: ${listedLines(others)}`);
}

export const startChecks = {
  settings,
  /** How old the prices are, how many models have scores, and which models end. */
  catalog: (facts: StartFacts): readonly CheckRow[] => [
    ...catalogPrices(facts),
    ...routerScores(facts),
    retiredModels(facts),
  ],
};
