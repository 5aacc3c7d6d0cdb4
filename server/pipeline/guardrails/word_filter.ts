/** Words that a guardrail forbids, and the texts in which its filters find nothing. */

import { spaces } from "./code_points.ts";
import { type LinearProgram, ProgramBuilder } from "./patterns/linear_program.ts";
import { LinearMatcher, longestEnd } from "./patterns/linear_search.ts";
import { patternSize } from "./patterns/pattern_size.ts";
import { noFlags, parsePattern } from "./patterns/pattern_syntax.ts";
import { findBy } from "./patterns/pattern_filter.ts";
import { MAX_SPELLING, readSpellings } from "./read_spellings.ts";
import { toPlain } from "./spelled.ts";
import { spellOnce, spellSigns, spellSignsOnce } from "./spellings.ts";
import type { TextFilter, TextMatch, WorkMeter } from "./text_filter.ts";
import { longestWord, unicodeWord, wordsEntry } from "./word_program.ts";

/** A text as words are given, or a pattern. */
export type Exception = string | { readonly pattern: string };

/** Exceptions in which no match of a guardrail's filters counts. */
export interface Exceptions {
  /** The most code units that one can have, and those around it on which it depends. */
  readonly reach: number;
  /** Whether an exception around a match that ends there may go on behind the text. */
  needsMore(text: string, end: number): boolean;
  /** Whether a match lies wholly in one of them. */
  cover(text: string, match: TextMatch & { readonly meter: WorkMeter }): boolean;
}

/** Whole words in any case and spelling. */
export function wordFilter(words: readonly string[]): TextFilter {
  const plain = plainWords(words, spellSignsOnce);
  const program = new ProgramBuilder().build((builder) => wordsEntry(builder, plain), {
    letters: unicodeWord(),
  });
  const maxMatch = longestWord(plain);
  const matcher = new LinearMatcher(program, maxMatch);
  const search = (text: string, from: number) => matcher.search(text, from);
  return readSpellings({
    maxMatch,
    lookAhead: 2,
    lookBehind: 2,
    spansSpace: plain.some((word) => [...word].some(isSpace)),
    search,
    find: (text: string, from: number) => findBy(search(text, from)),
  }, spellSigns);
}

/** As texts are read. What is white space then is left out: a text would be full of it. */
const plainWords = (words: readonly string[], plainly: typeof spellOnce = spellOnce): readonly string[] =>
  words.map((word) => plainly(word).plain.trim()).filter((word) => word !== "");

/** Whether a text is one that can be looked for. */
export const isReadable = (word: string): boolean => plainWords([word]).length > 0;

const isSpace = (char: string) =>
  spaces.some(([first, last]) => (char.codePointAt(0) ?? 0) >= first && (char.codePointAt(0) ?? 0) <= last);

/** Code units of an exception; undefined for a pattern without a bound. */
export function exceptionLength(exception: Exception): number | undefined {
  if (typeof exception === "string") return longestWord(plainWords([exception]));
  return patternSize(parsePattern(exception.pattern)).reach.maxMatch ?? undefined;
}

/** Texts are found in every spelling, patterns in the text as it stands. */
export function exceptionsOf(list: readonly Exception[]): Exceptions {
  const words = plainWords(list.filter((one) => typeof one === "string"));
  const patterns = list.filter((one) => typeof one !== "string");
  const parts = [
    ...(words.length === 0 ? [] : [spelledWords(words)]),
    ...(patterns.length === 0 ? [] : [coverOf(patternsProgram(patterns), longestOf(patterns))]),
  ];
  return {
    reach: Math.max(...parts.map(({ reach }) => reach), 0),
    needsMore: (text, end) => parts.some((part) => part.needsMore(text, end)),
    cover: (text, match) => parts.some(({ cover }) => cover(text, match)),
  };
}

const longestOf = (list: readonly Exception[]): number =>
  Math.max(0, ...list.map((one) => exceptionLength(one) ?? 0));

/** Code units beside a match on which it depends. */
const AROUND = 2;

function coverOf(program: LinearProgram, longest: number): Exceptions {
  const matcher = new LinearMatcher(program, null);
  const reach = longest + AROUND;
  return {
    reach,
    needsMore: (text, end) => end + reach > text.length,
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

/** An exception may be written with so many times its characters. */
const MOST_WRITTEN = 9;

/** Only what stands near the match is read, so that it does not matter how much of a stream is there. */
function spelledWords(words: readonly string[]): Exceptions {
  const { reach: plainReach, cover } = coverOf(wordsProgram(words), longestOf(words));
  const reach = plainReach * MOST_WRITTEN + MAX_SPELLING;
  return {
    reach,
    needsMore: (text, end) => {
      if (end + reach <= text.length) return false;
      const behind = spellOnce(text.slice(end));
      return toPlain(behind, behind.settled) < plainReach;
    },
    cover: (text, { start, end, meter }) => {
      const base = Math.max(0, wholeFrom(text, end - reach));
      const spelled = spellOnce(text.slice(base, start + reach));
      // Where the text was cut, no word begins or ends.
      const before = base > 0 ? "x" : "";
      const plain = before + spelled.plain + (start + reach < text.length ? "x" : "");
      const from = before.length + toPlain(spelled, start - base);
      const to = Math.max(before.length + toPlain(spelled, end - base), from + 1);
      return cover(plain, { start: from, end: to, meter });
    },
  };
}

const wordsProgram = (words: readonly string[]): LinearProgram =>
  new ProgramBuilder().build((builder) => wordsEntry(builder, words), {
    isLongest: true,
    letters: unicodeWord(),
  });

/** All of them as one automaton. Throws a PatternError for what is too large. */
function patternsProgram(list: readonly { readonly pattern: string }[]): LinearProgram {
  const patterns = list.map(({ pattern }) => parsePattern(pattern));
  return new ProgramBuilder().build(
    (builder) => (next) =>
      builder.either(patterns.map(({ alternatives }) => builder.any(alternatives, noFlags)(next))),
    {
      isLongest: true,
    },
  );
}

/** Not between the halves of a character. */
const wholeFrom = (text: string, position: number): number =>
  (text.codePointAt(position - 1) ?? 0) > 0xffff ? position - 1 : position;
