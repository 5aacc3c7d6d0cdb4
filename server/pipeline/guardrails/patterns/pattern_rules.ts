/** Which patterns may be saved: those that mean what they say, can match something, and cost little enough. */

import type { AST } from "@eslint-community/regexpp";
import { truncateStart } from "../../../../shared/util/text.ts";
import { compileProgram, type LinearProgram } from "./linear_program.ts";
import { isMatchStep, LinearStates, stateAfter } from "./linear_states.ts";
import { readDialect } from "./pattern_dialects.ts";
import { type PatternSize, patternSize } from "./pattern_size.ts";
import { parseStrict, PatternError } from "./pattern_syntax.ts";

/** The most states that counted repetitions may multiply out to: so many steps may a character cost. */
export const MAX_STATES = 2_000;
/** States that are looked at to find out whether a pattern can match, and nodes in them. */
const MOST_LOOKED_AT = 1_000;
const MOST_WORK = 500_000;

/** Finds the fault of a pattern, as the rest of a sentence; undefined for one that may be saved. */
export function patternFault(pattern: string): string | undefined {
  const { strict, fault } = readDialect(pattern);
  if (fault !== undefined) return fault;
  try {
    const syntax = parseStrict(strict);
    return sizeFault(patternSize(syntax), syntax);
  } catch (error) {
    if (error instanceof PatternError) return truncateStart(error.message, 300);
    throw error;
  }
}

function sizeFault(size: PatternSize, syntax: AST.Pattern): string | undefined {
  const { states, isRepeated, shortest, reach: { maxMatch } } = size;
  if (isRepeated && states > MAX_STATES) {
    return `costs too much: its repetitions multiply out to ${states} states, and a character may cost a step ` +
      `for each; at most ${MAX_STATES} are allowed. Count less far, or write + or * without a bound`;
  }
  if (shortest !== Infinity && maxMatch !== 0 && canMatch(compileProgram(syntax))) return undefined;
  return "can never match a character: leave it out, or write what it is to find";
}

/** Goes through the states; true too where there are too many to tell. */
function canMatch(program: LinearProgram): boolean {
  const states = new LinearStates(program);
  const first = [0, 1, 2, 4].map((kind) => states.idle(kind));
  const seen = new Set(first);
  const { generation } = states;
  let work = 0;
  for (const state of seen) {
    for (let codeClass = 0; codeClass <= states.end; codeClass++) {
      const step = states.step(state, codeClass);
      work += states.work + 1;
      if (isMatchStep(step) || work > MOST_WORK || states.generation !== generation) return true;
      seen.add(stateAfter(step));
    }
    if (seen.size > MOST_LOOKED_AT) return true;
  }
  return false;
}
