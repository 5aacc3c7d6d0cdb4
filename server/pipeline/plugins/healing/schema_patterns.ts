/** Patterns of a schema, run by the engine of guardrails: whatever the text is, it takes linear time. */

import { compileProgram } from "../../guardrails/patterns/linear_program.ts";
import { LinearMatcher, longestEnd } from "../../guardrails/patterns/linear_search.ts";
import { patternFault } from "../../guardrails/patterns/pattern_rules.ts";
import { patternSize } from "../../guardrails/patterns/pattern_size.ts";
import { parsePattern } from "../../guardrails/patterns/pattern_syntax.ts";
import { Unhealed } from "./healing_reasons.ts";

/** Units of work for all texts that a schema's patterns are held against. */
export interface PatternMeter {
  left: number;
}

/** Whether a text matches, anywhere. Throws Unhealed where that takes too much work. */
export type PatternTest = (text: string, meter: PatternMeter) => boolean;

/** Throws Unhealed for a pattern that cannot be run in linear time. */
export function compilePattern(pattern: string): PatternTest {
  if (patternFault(pattern) !== undefined) throw new Unhealed("schema_unchecked");
  const syntax = parsePattern(pattern);
  const { shortest, reach } = patternSize(syntax);
  const matcher = new LinearMatcher(compileProgram(syntax), reach.maxMatch);
  return shortest > 0
    ? (text, meter) => searchText(matcher, { text, meter })
    : (text, meter) => hasMatch(matcher, { text, meter });
}

interface Searched {
  readonly text: string;
  readonly meter: PatternMeter;
}

function searchText(matcher: LinearMatcher, { text, meter }: Searched): boolean {
  const found = matcher.search(text, 0).run(meter);
  if (found === "more") throw new Unhealed("schema_unchecked");
  return found !== "none";
}

/** The same for a pattern that may match nothing, which is found in a place only. */
function hasMatch(matcher: LinearMatcher, { text, meter }: Searched): boolean {
  for (let from = 0; from <= text.length; from++) {
    if (longestEnd(matcher, { text, from, meter }) !== undefined) return true;
    if (meter.left <= 0) throw new Unhealed("schema_unchecked");
  }
  return false;
}
