/** `logprobsResult` → the hub's log probabilities. */

import type { Logprob } from "../../../canonical/item.ts";
import type { Logprobs, LogprobToken } from "./response_schema.ts";

/** Two lists side by side: what was chosen at each step, and what else might have been. */
export function parseLogprobs({ chosenCandidates, topCandidates }: Logprobs): readonly Logprob[] {
  return (chosenCandidates ?? []).map((chosen, at) => {
    const top = topCandidates?.[at]?.candidates;
    return { ...one(chosen), ...(top ? { top_logprobs: top.map(one) } : {}) };
  });
}

/** Zero, the certain token's, is left out by the provider. */
const one = ({ token, logProbability }: LogprobToken) => ({
  token: token ?? "",
  logprob: logProbability ?? 0,
});
