/** Lets a filter find what is written with other characters than it looks for. */

import { type Spelled, toPlain, toRawEnd, toRawStart } from "./spelled.ts";
import { MAX_NESTED, spell } from "./spellings.ts";
import type { TextFilter, TextMatch, TextSearch } from "./text_filter.ts";
import { lastSpaceEnd } from "./scanners/text_positions.ts";

/** Code units of a match as it is written. */
export const MAX_WRITTEN = 960;
/** Code units of the longest spelling of one character, with those without a width before it. */
export const MAX_SPELLING = 16 + MAX_NESTED;

/** A text in plain characters. */
type Speller = (text: string) => Spelled;

/** The same filter for every spelling; `plainly` says what is one. */
export function readSpellings<Filter extends TextFilter>(filter: Filter, plainly: Speller = spell): Filter {
  const { lookAhead, lookBehind } = filter;
  const maxMatch = Math.max(filter.maxMatch ?? 0, MAX_WRITTEN);
  const search = searchOf(filter, { plainly, maxMatch });
  return {
    ...filter,
    ...(search && { search }),
    maxMatch,
    lookAhead: lookAhead * MAX_SPELLING,
    // Every second character of the text that announces a match may be unseen.
    lookBehind: lookBehind * 2,
    undecidedFrom: (text) => undecidedIn(plainly(text), filter),
    longestIn: (text) => plainly(text).longest,
    find: (text, from) => {
      const spelled = plainly(text);
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

const asWritten = (spelled: Spelled, { start, end }: TextMatch): TextMatch => ({
  start: toRawStart(spelled, start),
  end: toRawEnd(spelled, end),
});

function findSpelled(
  filter: TextFilter,
  { spelled, from, maxMatch }: Search,
): TextMatch | undefined {
  for (let position = toPlain(spelled, from);;) {
    const match = filter.find(spelled.plain, position);
    if (match === undefined) return undefined;
    const written = asWritten(spelled, match);
    if (written.end - written.start <= maxMatch) return written;
    position = match.end;
  }
}

interface Searching extends Pick<Search, "maxMatch"> {
  readonly plainly: Speller;
}

function searchOf(filter: TextFilter, { plainly, maxMatch }: Searching): TextFilter["search"] {
  if (filter.search === undefined) return undefined;
  const searchFrom = filter.search.bind(filter);
  return (text, from): TextSearch => {
    const spelled = plainly(text);
    let search = searchFrom(spelled.plain, toPlain(spelled, from));
    return {
      run: (meter) => {
        for (;;) {
          const found = search.run(meter);
          if (typeof found === "string") return found;
          const written = asWritten(spelled, found);
          if (written.end - written.start <= maxMatch) return written;
          search = searchFrom(spelled.plain, found.end);
        }
      },
    };
  };
}

/** The end of a text may be the beginning of a spelling: until that is known, the text ends before it. */
export function undecidedIn(spelled: Spelled, filter: TextFilter): number {
  return toRawStart(spelled, Math.max(plainUndecided(filter, spelled.settledPlain), 0));
}

function plainUndecided(filter: TextFilter, plain: string): number {
  if (filter.undecidedFrom !== undefined) return filter.undecidedFrom(plain);
  const { maxMatch, lookAhead, spansSpace } = filter;
  const from = Math.max(plain.length - (maxMatch ?? MAX_WRITTEN) - lookAhead + 1, 0);
  return spansSpace ? from : lastSpaceEnd(plain, { from, lookAhead });
}
