/** Matches long lists of patterns with the models of the catalog ahead of the choice, so that nothing waits for it. */

import { pause } from "../../../../shared/util/pause.ts";
import { runWork, type Work } from "../../../../shared/util/run_work.ts";
import type { ModelListing } from "../../../providers/catalog/catalog.ts";
import { plainSpelling, versionless } from "../../../providers/model_spelling.ts";
import { matchesAny } from "../selection/glob.ts";
import { compileModelPatterns } from "../selection/model_patterns.ts";

/** More than this many comparisons are worth a pause. */
const MANY = 10_000;

export interface PatternDeps {
  readonly listings: readonly ModelListing[];
  readonly clock: { monotonic(): number };
}

/** At once for short lists. The answers are kept as long as the lists are. */
export function preparePatterns(
  { listings, clock }: PatternDeps,
  lists: readonly (readonly string[])[],
): void | Promise<void> {
  const patterns = lists.reduce((sum, list) => sum + list.length, 0);
  if (patterns * listings.length < MANY) return;
  return runWork(matchAll(listings, lists), { clock, pause });
}

function* matchAll(listings: readonly ModelListing[], lists: readonly (readonly string[])[]): Work<void> {
  for (const list of lists) {
    const compiled = compileModelPatterns(list);
    yield;
    for (const { model: { id } } of listings) {
      matchesAny(compiled, [plainSpelling(id), versionless(id)]);
      yield;
    }
  }
}
