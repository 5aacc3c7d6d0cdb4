/** How long a pattern's matches can be, how many states it has, and how much a text can make it try. */

import type { AST } from "@eslint-community/regexpp";
import { containsAny, spaces, unitsOf } from "../code_points.ts";
import { flagsWithin, noFlags, PatternError, type PatternFlags, rangesOf } from "./pattern_syntax.ts";
import type { FilterReach } from "../text_filter.ts";

export interface PatternSize {
  readonly reach: FilterReach;
  /** Code units; Infinity where nothing can match. */
  readonly shortest: number;
  /**
   * Number of states of an automaton in which counted repetitions are written out: for each of them a character may
   * cost a step.
   */
  readonly states: number;
  /** Whether something is counted. */
  readonly isRepeated: boolean;
  /** The most characters that an engine that backtracks looks at from one place; Infinity where it depends on the text. */
  readonly tries: number;
}

interface Size extends Pick<PatternSize, "shortest" | "states" | "isRepeated" | "tries"> {
  /** Code units; Infinity where there is no bound. */
  readonly longest: number;
  readonly lookAhead: number;
  readonly spansSpace: boolean;
  /** In how many ways it can match in one place. */
  readonly ways: number;
}

const empty: Size = {
  longest: 0,
  shortest: 0,
  lookAhead: 0,
  spansSpace: false,
  states: 0,
  isRepeated: false,
  tries: 0,
  ways: 1,
};

/** Throws a PatternError for what no engine runs in linear time. */
export function patternSize(pattern: AST.Pattern): PatternSize {
  const { longest, lookAhead, spansSpace, ...size } = sizeOfAny(pattern.alternatives, noFlags);
  const maxMatch = Number.isFinite(longest) ? longest : null;
  return { ...size, reach: { maxMatch, lookAhead, lookBehind: 1, spansSpace } };
}

function sizeOfAny(alternatives: readonly AST.Alternative[], flags: PatternFlags): Size {
  const sizes = alternatives.map(({ elements }) =>
    elements.reduce((before, element) => inSequence(before, sizeOf(element, flags)), empty)
  );
  return sizes.reduce((one, other) => ({
    ...joined(one, other),
    longest: Math.max(one.longest, other.longest),
    shortest: Math.min(one.shortest, other.shortest),
    tries: one.tries + other.tries,
    ways: one.ways + other.ways,
  }));
}

const inSequence = (before: Size, next: Size): Size => ({
  ...joined(before, next),
  longest: before.longest + next.longest,
  shortest: before.shortest + next.shortest,
  tries: before.tries + before.ways * next.tries,
  ways: before.ways * next.ways,
});

const joined = (one: Size, other: Size) => ({
  lookAhead: Math.max(one.lookAhead, other.lookAhead),
  spansSpace: one.spansSpace || other.spansSpace,
  states: one.states + other.states,
  isRepeated: one.isRepeated || other.isRepeated,
});

function sizeOf(node: AST.Element, flags: PatternFlags): Size {
  switch (node.type) {
    case "Character":
    case "CharacterClass":
    case "CharacterSet": {
      const ranges = rangesOf(node, flags);
      const one = { ...empty, spansSpace: containsAny(ranges, spaces), states: 1, tries: 1 };
      if (ranges.length === 0) return { ...one, shortest: Infinity };
      return { ...one, longest: unitsOf(ranges), shortest: 1 };
    }
    case "Group":
      return sizeOfAny(node.alternatives, flagsWithin(node, flags));
    case "CapturingGroup":
      return sizeOfAny(node.alternatives, flags);
    case "Quantifier":
      return sizeOfQuantifier(node, flags);
    case "Assertion":
      if (node.kind === "lookahead" || node.kind === "lookbehind") {
        throw new PatternError(`has a group that looks around, which is not allowed: ${lookAdvice(node)}`);
      }
      return { ...empty, lookAhead: node.kind === "start" ? 0 : 1, states: 1, tries: 1 };
    default:
      throw new PatternError("has a reference to a group, which is not allowed");
  }
}

function sizeOfQuantifier({ element, min, max }: AST.Quantifier, flags: PatternFlags): Size {
  const one = sizeOf(element, flags);
  const isCounted = min > 1 || (max > 1 && Number.isFinite(max));
  const copies = Number.isFinite(max) ? Math.max(max, 1) : min + 1;
  return {
    ...one,
    ...triesOf(one, { min, max }),
    longest: one.longest === 0 || max === 0 ? 0 : one.longest * max,
    shortest: min === 0 ? 0 : one.shortest * min,
    states: one.states * copies,
    isRepeated: one.isRepeated || isCounted,
  };
}

/** Advice on what to write instead: edges of words and of the text, or the neighbour within the match. */
function lookAdvice({ kind, negate, raw }: AST.LookaroundAssertion): string {
  const inside = raw.replace(/^\(\?<?[=!]|\)$/g, "");
  const isWord = /^(?:\\[wd]|\[(?:\\[wd]|[\w-])+\])$/.test(inside);
  if (negate && isWord) return "write \\b for the edge of a word";
  if (!negate && /\\W/.test(inside)) return "write \\b for the edge of a word";
  if (negate) {
    return "list what is not meant in except, or name the characters that may stand there, as in [^a]";
  }
  const edge = kind === "lookahead" ? "(?:\\s|$)" : "(?:^|\\s)";
  if (/\\s|[$^]/.test(inside)) return `let the match have what stands there, as in ${edge}`;
  const place = kind === "lookahead" ? "behind" : "before";
  return `leave out the ${
    raw.slice(0, kind === "lookahead" ? 3 : 4)
  }, and the match has what stands ${place} it too`;
}

/** Number of tries from which on they count as infinitely many. */
const MANY = 1e9;

/** A repetition can stop behind each copy, and the next one begins where each way through the one before ends. */
function triesOf({ tries, ways }: Size, { min, max }: { readonly min: number; readonly max: number }) {
  if (!Number.isFinite(max)) return { tries: Infinity, ways: Infinity };
  if (ways === 1) return { tries: tries * max, ways: max - min + 1 };
  let [allTries, allWays] = [0, min === 0 ? 1 : 0];
  for (let copy = 1, before = 1; copy <= max && allTries < MANY; copy++) {
    allTries += before * tries;
    before *= ways;
    if (copy >= min) allWays += before;
  }
  return allTries < MANY ? { tries: allTries, ways: allWays } : { tries: Infinity, ways: Infinity };
}
