/** Matches of a pattern in a long text, with pauses between windows of it. */

import type { Work } from "../../../shared/util/run_work.ts";

/** Code units that are searched before a pause is offered: about a millisecond. */
const WINDOW = 128 * 1024;
/** No pattern here matches more. */
const LONGEST_MATCH = 256;

interface FoundMatch {
  readonly index: number;
  /** The pattern's first group. */
  readonly group: string | undefined;
}

interface Search {
  readonly text: string;
  /** Global; a match has at most {@link LONGEST_MATCH} code units. */
  readonly pattern: RegExp;
}

/** Goes on while `visit` says so. */
export function* eachMatch(
  { text, pattern }: Search,
  visit: (match: FoundMatch) => boolean | Work<boolean>,
): Work<void> {
  for (let from = 0; from < text.length;) {
    const window = text.slice(from, from + WINDOW + LONGEST_MATCH);
    let next = from + WINDOW;
    for (const { index, 0: match, 1: group } of window.matchAll(pattern)) {
      if (index >= WINDOW) break;
      const goesOn = visit({ index: from + index, group });
      if (!(typeof goesOn === "boolean" ? goesOn : yield* goesOn)) return;
      next = Math.max(next, from + index + match.length);
    }
    from = next;
    yield;
  }
}
