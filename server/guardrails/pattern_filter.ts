/** A pattern of an operator's as a filter, on an engine that runs it in linear time. */

import { RE2JS } from "re2js";
import { parsePattern, patternReach } from "./pattern_syntax.ts";
import { renderPattern } from "./render_pattern.ts";
import type { FilterReach, TextFilter, TextMatch } from "./text_filter.ts";

/** `v8`: backtracks within the bounds of a match, and begins again on a linear engine where that takes too long. */
export type PatternEngine = "v8" | "re2";

export interface PatternFilter extends TextFilter {
  readonly engine: PatternEngine;
}

/**
 * Throws a PatternError for what is no pattern or is too large. `engine` is for tests that compare the two; without it
 * V8 takes patterns with a bound that its linear engine can run, and RE2 the rest. V8 does not notice that it reads on
 * to the end of the text again from every place, as with `a+b`: 200,000 letters `a` take it five seconds.
 */
export function compilePatternFilter(pattern: string, engine?: PatternEngine): PatternFilter {
  const syntax = parsePattern(pattern);
  const reach = patternReach(syntax);
  const isForV8 = engine === "v8" || (engine === undefined && reach.maxMatch !== null);
  const source = isForV8 ? renderPattern(syntax, "v8") : undefined;
  if (source !== undefined && isLinearInV8(source)) return v8Filter(reach, source);
  if (engine === "v8") throw new Error("V8 cannot run this pattern in linear time");
  return re2Filter(reach, renderPattern(syntax, "re2") ?? pattern);
}

/**
 * The flag `l` is known where the gateway was started with V8's linear engine, and refuses what that cannot run. The
 * filter itself runs without it: V8 changes to that engine when it has backtracked too often.
 */
export function isLinearInV8(source: string): boolean {
  try {
    return new RegExp(source, "l") instanceof RegExp;
  } catch {
    // The other engine takes it.
    return false;
  }
}

function v8Filter(reach: FilterReach, source: string): PatternFilter {
  const regexp = new RegExp(source, "g");
  const find = (text: string, from: number): TextMatch | undefined => {
    for (let position = from; position <= text.length;) {
      regexp.lastIndex = position;
      const match = regexp.exec(text);
      if (match === null) return undefined;
      const [start, end] = [match.index, match.index + match[0].length];
      if (end > start && !isInPair(text, start)) return { start, end };
      position = start + 1;
    }
    return undefined;
  };
  return { ...reach, engine: "v8", find };
}

/** Between the two halves of a character, where V8 looks too without the flag `u`. */
function isInPair(text: string, position: number): boolean {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function re2Filter(reach: FilterReach, source: string): PatternFilter {
  const regexp = RE2JS.compile(source);
  const find = (text: string, from: number): TextMatch | undefined => {
    if (from > text.length) return undefined;
    const matcher = regexp.matcher(text);
    for (let found = matcher.find(from); found; found = matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) return { start, end };
    }
    return undefined;
  };
  return { ...reach, engine: "re2", find };
}
