/** Lets a filter find what is written with other characters than it looks for. */

import type { TextFilter, TextMatch } from "../text_filter.ts";
import { lastSpaceEnd } from "../text_positions.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { MAX_ESCAPE } from "./json_escapes.ts";
import { spell, type Spelled, toPlain, toRawEnd, toRawStart } from "./spellings.ts";

/** Code units of a match as it is written. */
const MAX_WRITTEN = 960;

/** The same filter for every spelling. */
export function readSpellings(filter: BuiltinFilter): BuiltinFilter {
  const { lookAhead, lookBehind } = filter;
  const maxMatch = Math.max(filter.maxMatch ?? 0, MAX_WRITTEN);
  return {
    ...filter,
    maxMatch,
    lookAhead: lookAhead * MAX_ESCAPE,
    lookBehind: lookBehind * MAX_ESCAPE,
    undecidedFrom: (text) => undecidedIn(spell(text), filter),
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
export function undecidedIn(spelled: Spelled, filter: TextFilter): number {
  const end = toPlain(spelled, spelled.settled);
  const plain = end === spelled.plain.length ? spelled.plain : spelled.plain.slice(0, end);
  return toRawStart(spelled, Math.max(plainUndecided(filter, plain), 0));
}

function plainUndecided(filter: TextFilter, plain: string): number {
  if (filter.undecidedFrom !== undefined) return filter.undecidedFrom(plain);
  const { maxMatch, lookAhead, spansSpace } = filter;
  const from = Math.max(plain.length - (maxMatch ?? MAX_WRITTEN) - lookAhead + 1, 0);
  return spansSpace ? from : lastSpaceEnd(plain, { from, lookAhead });
}
