/** Lets a filter find what is written with other characters than it looks for. */

import type { TextMatch } from "../text_filter.ts";
import { lastSpaceEnd } from "../text_positions.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { spell, type Spelled, toPlain, toRawEnd, toRawStart } from "./spellings.ts";

/** Code units of a match as it is written. */
const MAX_WRITTEN = 960;
/** Code units of the longest spelling of one character. */
const MAX_SPELLING = 9;

/** The same filter for every spelling. */
export function readSpellings(filter: BuiltinFilter): BuiltinFilter {
  const { lookAhead, lookBehind } = filter;
  const maxMatch = Math.max(filter.maxMatch ?? 0, MAX_WRITTEN);
  return {
    ...filter,
    maxMatch,
    lookAhead: lookAhead * MAX_SPELLING,
    // Of what announces a match, every second character may be unseen.
    lookBehind: lookBehind * 2,
    undecidedFrom: (text) => undecidedFrom(filter, text),
    find: (text, from) => {
      const spelled = spell(text);
      if (spelled.shifts.length === 0) return filter.find(spelled.plain, from);
      return findSpelled(filter, { spelled, from, maxMatch });
    },
  };
}

interface Search {
  readonly spelled: Spelled;
  readonly from: number;
  readonly maxMatch: number;
}

function findSpelled(
  filter: BuiltinFilter,
  { spelled, from, maxMatch }: Search,
): TextMatch | undefined {
  for (let position = toPlain(spelled, from);;) {
    const match = filter.find(spelled.plain, position);
    if (match === undefined) return undefined;
    const [start, end] = [toRawStart(spelled, match.start), toRawEnd(spelled, match.end)];
    if (end - start <= maxMatch) return { start, end };
    position = match.end;
  }
}

/** The end of a text may be the beginning of a spelling: until that is known, the text ends before it. */
function undecidedFrom(filter: BuiltinFilter, text: string): number {
  const spelled = spell(text);
  const end = toPlain(spelled, spelled.settled);
  const plain = end === spelled.plain.length ? spelled.plain : spelled.plain.slice(0, end);
  return toRawStart(spelled, Math.max(plainUndecided(filter, plain), 0));
}

function plainUndecided(filter: BuiltinFilter, plain: string): number {
  if (filter.undecidedFrom !== undefined) return filter.undecidedFrom(plain);
  const { maxMatch, lookAhead, spansSpace } = filter;
  const from = Math.max(plain.length - (maxMatch ?? MAX_WRITTEN) - lookAhead + 1, 0);
  return spansSpace ? from : lastSpaceEnd(plain, { from, lookAhead });
}
