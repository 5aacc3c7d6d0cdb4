/** What a request has cost so far, in the USD of its answer. */

import { addUsd, type NanoUsd, toUsdNumber, ZERO } from "../../shared/money.ts";
import type { Bill, Notes } from "../pipeline/turn.ts";
import type { Billed } from "../protocols/wire.ts";

export function billedOf({ bills }: Pick<Notes, "bills">): Billed {
  const sum = (of: (bill: Bill) => NanoUsd) => toUsdNumber(addUsd(...bills.map(of)));
  const known = bills.some(({ charge }) => charge.by !== "nobody");
  return {
    cost: sum(({ endpoint, charge }) => endpoint.byok === true ? ZERO : charge.total),
    upstreamCost: known ? sum(({ charge }) => charge.total) : null,
    inputCost: sum(({ charge }) => charge.input),
    outputCost: sum(({ charge }) => charge.output),
    toolCost: sum(({ charge }) => charge.tools),
    isByok: bills.at(-1)?.endpoint.byok === true,
    webSearches: bills.reduce((count, { usage }) => count + (usage.webSearches ?? 0), 0),
  };
}
