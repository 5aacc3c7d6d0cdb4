/** A figure against that of the period before, in words. */

import { formatPercent } from "../../format.ts";
import type { OverviewModel } from "../../models/overview.ts";
import { overviewText } from "../../text/overview.ts";

type ComparisonRead = ReturnType<OverviewModel["comparison"]["data"]["peek"]>;

/** Undefined until it was read, and where nothing of the period is over. */
export function changeNote(
  read: ComparisonRead,
  name: "usd" | "requests" | "tokens",
): string | undefined {
  if (read?.figures === undefined) return undefined;
  const { period: { text, id, granularity, running }, figures: { now, before } } = read;
  const against = overviewText.periodBefore(id === "custom" ? overviewText.sameLength : text);
  const left = running === undefined ? "" : overviewText.leftOut(overviewText.units[granularity]);
  const [is, was] = [now[name], before[name]];
  if (was === 0) return is === 0 ? undefined : overviewText.noneBefore(against) + left;
  const share = is / was - 1;
  if (Math.abs(share) < 0.0005) return overviewText.same(against) + left;
  return overviewText.change(`${share > 0 ? "+" : "−"}${formatPercent(Math.abs(share))}`, against) + left;
}
