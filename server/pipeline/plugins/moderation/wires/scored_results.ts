/** Results of `POST /moderations`: for each input and category a verdict and a score. */

import * as z from "zod";
import type { ReplyInput, Verdict } from "./wire.ts";

const result = z.object({
  flagged: z.boolean().optional(),
  categories: z.record(z.string(), z.boolean()),
  category_scores: z.record(z.string(), z.number().min(0).max(1)),
});
type ScoredResult = z.infer<typeof result>;

const reply = z.object({ results: z.array(result) });

/** Throws for what is no verdict: another form, too few results, a category without the score that is needed. */
export function parseScoredResults(
  value: unknown,
  { count, settings: { thresholds } }: ReplyInput,
): readonly Verdict[] {
  const { results } = reply.parse(value);
  if (results.length !== count) throw new Error(`It has ${results.length} results for ${count} inputs`);
  return results.map((one) => verdictOf(one, thresholds));
}

function verdictOf(
  { flagged, categories, category_scores: given }: ScoredResult,
  thresholds: ReplyInput["settings"]["thresholds"],
): Verdict {
  const scores = new Map(Object.entries(given));
  const own = new Map(Object.entries(categories));
  const reasons = [...own].flatMap(([name, isFlagged]) => isFlagged && !thresholds.has(name) ? [name] : []);
  for (const [name, threshold] of thresholds) {
    const score = scores.get(name);
    if (score === undefined) throw new Error(`It has no score for ${name}`);
    if (threshold !== null && score >= threshold) reasons.push(name);
  }
  // It is flagged for what has no name.
  if (flagged === true && ![...own.values()].includes(true)) reasons.push("flagged");
  return reasons;
}
