/** A pattern of an operator's as a filter. However it is run, a text cannot make it slow, and it can pause anywhere. */

import { compileProgram } from "./linear_program.ts";
import { LinearMatcher } from "./linear_search.ts";
import { type PatternSize, patternSize } from "./pattern_size.ts";
import { parsePattern } from "./pattern_syntax.ts";
import { renderForV8 } from "./render_pattern.ts";
import type { FilterReach, TextFilter, TextMatch, TextSearch } from "../text_filter.ts";

/** `v8` backtracks, in stretches so short that it cannot do so for long; `linear` is the automaton beside this file. */
type PatternEngine = "v8" | "linear";

export interface PatternFilter extends TextFilter {
  readonly engine: PatternEngine;
  readonly search: NonNullable<TextFilter["search"]>;
}

/** The most characters that V8 may have to look at from one place of a text, and that a match may have. */
const MOST_TRIES = 100;
/** V8 looks at so many characters before a pause is offered: about 50 µs. */
const TRIES_AT_ONCE = 32_768;
/** Units of work that so many characters count as. */
const UNITS_AT_ONCE = 4_000;

/**
 * Throws a PatternError for what is no pattern. `engine` is for tests that compare the two; without it V8 takes what
 * it can only try a little of in any place.
 */
export function compilePatternFilter(pattern: string, engine?: PatternEngine): PatternFilter {
  const syntax = parsePattern(pattern);
  const size = patternSize(syntax);
  const source = engine === "linear" || !isForV8(size) ? undefined : renderForV8(syntax);
  if (source !== undefined) return v8Filter(source, size);
  if (engine === "v8") throw new Error("V8 is not given this pattern");
  const matcher = new LinearMatcher(compileProgram(syntax), size.reach.maxMatch);
  return filterOf("linear", { reach: size.reach, search: (text, from) => matcher.search(text, from) });
}

/**
 * True for a pattern that V8 runs; one that may match nothing is for the other engine, which goes on to look for a
 * match that is not empty.
 */
const isForV8 = ({ tries, shortest, reach: { maxMatch } }: PatternSize): boolean =>
  tries <= MOST_TRIES && shortest > 0 && maxMatch !== null;

type Search = (text: string, from: number) => TextSearch;

const filterOf = (
  engine: PatternEngine,
  { reach, search }: { readonly reach: FilterReach; readonly search: Search },
): PatternFilter => ({ ...reach, engine, search, find: (text, from) => findBy(search(text, from)) });

/** Runs a search to its end. */
export function findBy(search: TextSearch): TextMatch | undefined {
  const found = search.run({ left: Infinity });
  return typeof found === "string" ? undefined : found;
}

function v8Filter(source: string, size: PatternSize): PatternFilter {
  const { search, find, ...rest } = filterOf("v8", { reach: size.reach, search: v8Search(source, size) });
  const quickChars = Math.floor(TRIES_AT_ONCE / size.tries);
  const regexp = new RegExp(source, "g");
  const findQuickly = (text: string, from: number): TextMatch | undefined => {
    const { length } = text;
    if (length - from > quickChars) return find(text, from);
    return firstIn(text, { regexp, base: 0, at: from, next: length, end: length });
  };
  return { ...rest, search, quickChars, find: findQuickly };
}

/** Looks into one stretch of the text after the other, each with what a match that begins in it may need behind it. */
function v8Search(source: string, { tries, reach }: PatternSize): Search {
  const regexp = new RegExp(source, "g");
  const starts = Math.floor(TRIES_AT_ONCE / tries);
  const behind = (reach.maxMatch ?? 0) + reach.lookAhead;
  return (text, from) => {
    let at = from;
    return {
      run: (meter) => {
        while (at < text.length) {
          if (meter.left <= 0) return "more";
          meter.left -= UNITS_AT_ONCE;
          const stretch = { base: Math.max(at - 1, 0), at, next: at + starts, end: at + starts + behind };
          const match = firstIn(text, { ...stretch, regexp });
          if (match !== undefined) return match;
          at = stretch.next;
        }
        return "none";
      },
    };
  };
}

interface V8Stretch {
  readonly regexp: RegExp;
  /** Where the text that V8 is given begins: one before the place, which assertions look at. */
  readonly base: number;
  readonly at: number;
  /** Matches that begin from here on are for the next stretch. */
  readonly next: number;
  readonly end: number;
}

function firstIn(text: string, { regexp, base, at, next, end }: V8Stretch): TextMatch | undefined {
  const part = base === 0 && end >= text.length ? text : text.slice(base, end);
  for (let position = at; position < next;) {
    regexp.lastIndex = position - base;
    const match = regexp.exec(part);
    if (match === null) return undefined;
    const start = match.index + base;
    if (start >= next && end < text.length) return undefined;
    if (!isInPair(text, start)) return { start, end: start + match[0].length };
    position = start + 1;
  }
  return undefined;
}

/** Between the two halves of a character, where V8 looks too without the flag `u`. */
function isInPair(text: string, position: number): boolean {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
