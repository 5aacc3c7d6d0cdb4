/** Parses the cost that a provider reports for an answer, in the spellings of those that report it. */

import { type NanoUsd, parseReportedUsd } from "../../../../shared/money.ts";

/** xAI counts in ticks of 1e-10 USD. */
const TICKS_PER_NANO = 10;

/**
 * OpenRouter and gateways like it say `cost`, Perplexity `cost.total_cost`, xAI `cost_in_usd_ticks`. Rounded up;
 * undefined where nothing is said, or nothing that is an amount.
 */
export function parseReportedCost(usage: object): NanoUsd | undefined {
  if ("cost_in_usd_ticks" in usage && typeof usage.cost_in_usd_ticks === "number") {
    return parseReportedUsd(`${Math.ceil(usage.cost_in_usd_ticks / TICKS_PER_NANO)}e-9`);
  }
  const cost = "cost" in usage ? usage.cost : undefined;
  if (typeof cost !== "object" || cost === null) return parseReportedUsd(cost);
  return "total_cost" in cost ? parseReportedUsd(cost.total_cost) : undefined;
}
