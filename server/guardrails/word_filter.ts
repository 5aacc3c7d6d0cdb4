/** Words that a guardrail forbids, and the texts in which its filters find nothing. */

import { spaces } from "./code_points.ts";
import { type LinearProgram, ProgramBuilder } from "./linear_program.ts";
import { LinearMatcher, longestEnd } from "./linear_search.ts";
import { patternSize } from "./pattern_size.ts";
import { noFlags, parsePattern } from "./pattern_syntax.ts";
import { findBy } from "./pattern_filter.ts";
import type { TextFilter, TextMatch, WorkMeter } from "./text_filter.ts";
import { longestWord, unicodeWord, wordsEntry } from "./word_program.ts";

/** A text as words are given, or a pattern. */
export type Exception = string | { readonly pattern: string };

/** What no match of a guardrail's filters counts in. */
export interface Exceptions {
  /** The most code units that one can have, and those around it on which it depends. */
  readonly reach: number;
  /** Whether a match lies wholly in one of them. */
  cover(text: string, match: TextMatch & { readonly meter: WorkMeter }): boolean;
}

/** Whole words in any case. */
export function wordFilter(words: readonly string[]): TextFilter {
  const program = new ProgramBuilder().build((builder) => wordsEntry(builder, words), {
    letters: unicodeWord(),
  });
  const maxMatch = longestWord(words);
  const matcher = new LinearMatcher(program, maxMatch);
  const search = (text: string, from: number) => matcher.search(text, from);
  return {
    maxMatch,
    lookAhead: 2,
    lookBehind: 2,
    spansSpace: words.some((word) => [...word].some(isSpace)),
    search,
    find: (text, from) => findBy(search(text, from)),
  };
}

const isSpace = (char: string) =>
  spaces.some(([first, last]) => (char.codePointAt(0) ?? 0) >= first && (char.codePointAt(0) ?? 0) <= last);

/** Code units of an exception; undefined for a pattern without a bound. */
export function exceptionLength(exception: Exception): number | undefined {
  if (typeof exception === "string") return longestWord([exception]);
  return patternSize(parsePattern(exception.pattern)).reach.maxMatch ?? undefined;
}

export function exceptionsOf(list: readonly Exception[]): Exceptions {
  const matcher = new LinearMatcher(exceptionsProgram(list), null);
  const longest = Math.max(0, ...list.map((one) => exceptionLength(one) ?? 0));
  return {
    reach: longest + AROUND,
    cover: (text, { start, end, meter }) => {
      const base = Math.max(0, wholeFrom(text, end - longest - AROUND));
      const part = text.slice(base, start + longest + AROUND);
      for (let from = Math.max(0, end - longest - base); from <= start - base; from++) {
        const last = longestEnd(matcher, { text: part, from, meter });
        if (last !== undefined && last >= end - base) return true;
      }
      return false;
    },
  };
}

/** Code units beside a match on which it depends. */
const AROUND = 2;

/** All of them as one automaton. Throws a PatternError for what is too large. */
function exceptionsProgram(list: readonly Exception[]): LinearProgram {
  const words = list.filter((one) => typeof one === "string");
  const patterns = list.flatMap((one) => typeof one === "string" ? [] : [parsePattern(one.pattern)]);
  return new ProgramBuilder().build((builder) => (next) =>
    builder.either([
      ...(words.length === 0 ? [] : [wordsEntry(builder, words)(next)]),
      ...patterns.map(({ alternatives }) => builder.any(alternatives, noFlags)(next)),
    ]), { isLongest: true, letters: words.length === 0 ? [] : unicodeWord() });
}

/** Not between the halves of a character. */
const wholeFrom = (text: string, position: number): number =>
  (text.codePointAt(position - 1) ?? 0) > 0xffff ? position - 1 : position;
