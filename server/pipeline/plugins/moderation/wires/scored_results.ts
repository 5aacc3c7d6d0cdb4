/** Results of `POST /moderations`: for each input and category a verdict and a score. */

import * as z from "zod";
import { isRecord } from "../../../../../shared/util/json.ts";
import type { ReplyInput, Verdict } from "./wire.ts";

const result = z.object({
  flagged: z.boolean().optional(),
  categories: z.record(z.string(), z.boolean()),
  category_scores: z.record(z.string(), z.number().min(0).max(1)),
});

const reply = z.object({ results: z.array(z.unknown()) });

/**
 * Throws for what is no verdict: another form, another number of results, a category without the score that is needed.
 * A flagged text is told all the same: then undefined stands for inputs without a verdict.
 */
export function parseScoredResults(
  value: unknown,
  { count, settings: { thresholds } }: ReplyInput,
): readonly (Verdict | undefined)[] {
  const { results } = reply.parse(value);
  const faults: unknown[] = [];
  const verdicts = results.map((one) => {
    try {
      return verdictOf(one, thresholds);
    } catch (error) {
      faults.push(error);
      return undefined;
    }
  });
  if (results.length !== count) {
    faults.push(new Error(`It has ${results.length} results for ${count} inputs`));
  }
  if (faults.length === 0) return verdicts;
  const flagged = verdicts.findIndex((reasons) => reasons !== undefined && reasons.length > 0);
  if (flagged === -1) throw faults[0];
  const place = Math.min(flagged, count - 1);
  return Array.from({ length: count }, (_, at) => at === place ? verdicts[flagged] : undefined);
}

/** A reason that can be read counts, whatever else of the result cannot. */
function verdictOf(value: unknown, thresholds: ReplyInput["settings"]["thresholds"]): Verdict {
  const { flagged, categories, category_scores } = isRecord(value) ? value : {};
  const own = new Map(Object.entries(isRecord(categories) ? categories : {}));
  const scores = new Map(Object.entries(isRecord(category_scores) ? category_scores : {}));
  const reasons = [...own].flatMap(([name, isFlagged]) =>
    isFlagged === true && !thresholds.has(name) ? [name] : []
  );
  const unscored: string[] = [];
  for (const [name, threshold] of thresholds) {
    if (threshold === null) continue;
    const score = scores.get(name);
    // Without a score, the service's own verdict holds where it is the stricter one.
    if (typeof score === "number" ? score >= threshold : own.get(name) === true) reasons.push(name);
    else if (score === undefined) unscored.push(name);
  }
  // It is flagged for what has no name.
  if (flagged === true && ![...own.values()].includes(true)) reasons.push("flagged");
  if (reasons.length > 0) return reasons;
  result.parse(value);
  if (unscored.length > 0) throw new Error(`It has no score for ${unscored.join(", ")}`);
  return [];
}
