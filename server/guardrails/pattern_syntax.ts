/** What a pattern says, from its syntax: how long its matches can be and how large it is to run. */

import { type AST, RegExpParser } from "@eslint-community/regexpp";
import {
  type CodePointRanges,
  containsAny,
  digits,
  invertRanges,
  lineTerminators,
  mergeRanges,
  propertyRanges,
  spaces,
  unitsOf,
  wordCharacters,
} from "./code_points.ts";
import type { FilterReach } from "./text_filter.ts";

/** The most states that counted repetitions may multiply out to. */
export const MAX_STATES = 10_000;
/** Groups within groups. */
const MAX_DEPTH = 100;

export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Which flags hold at a place of a pattern: groups such as `(?i:…)` change them. */
export interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

export const noFlags: PatternFlags = { ignoreCase: false, multiline: false, dotAll: false };

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** Throws a PatternError for what is no pattern, or is nested too deeply. */
export function parsePattern(pattern: string): AST.Pattern {
  if (nestingOf(pattern) > MAX_DEPTH) {
    throw new PatternError(`has groups within groups; at most ${MAX_DEPTH} levels are allowed`);
  }
  try {
    return parser.parsePattern(pattern, undefined, undefined, { unicode: true });
  } catch {
    // JavaScript takes more without the flag `u`, which says why below.
  }
  try {
    return parser.parsePattern(pattern);
  } catch (error) {
    throw new PatternError(`is no regular expression: ${error instanceof Error ? error.message : error}`);
  }
}

function nestingOf(pattern: string): number {
  let depth = 0;
  let most = 0;
  let inClass = false;
  for (let position = 0; position < pattern.length; position++) {
    const char = pattern[position];
    if (char === "\\") position++;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") most = Math.max(most, ++depth);
    else if (char === ")") depth--;
  }
  return most;
}

/** The code points that a class or set stands for; a class under `ignoreCase` stands for their other cases too. */
export function rangesOf(
  node: AST.CharacterClassElement | AST.CharacterSet | AST.CharacterClass | AST.Character,
  flags: PatternFlags,
): CodePointRanges {
  switch (node.type) {
    case "Character":
      return [[node.value, node.value]];
    case "CharacterClassRange":
      return [[node.min.value, node.max.value]];
    case "CharacterClass":
      return node.negate ? invertRanges(membersOf(node, flags)) : membersOf(node, flags);
    case "CharacterSet":
      return setRanges(node, flags);
    default:
      throw new PatternError("has a construct that is not allowed");
  }
}

/** What a class lists, before it is negated. */
export function membersOf(node: AST.CharacterClass, flags: PatternFlags): CodePointRanges {
  return mergeRanges(node.elements.flatMap((element) => {
    if (element.type === "ClassStringDisjunction" || element.type === "ExpressionCharacterClass") {
      throw new PatternError("has a construct that is not allowed");
    }
    return [...rangesOf(element, flags)];
  }));
}

function setRanges(node: AST.CharacterSet, { dotAll }: PatternFlags): CodePointRanges {
  switch (node.kind) {
    case "any":
      return dotAll ? [[0, 0x10ffff]] : invertRanges(lineTerminators);
    case "digit":
      return node.negate ? invertRanges(digits) : digits;
    case "word":
      return node.negate ? invertRanges(wordCharacters) : wordCharacters;
    case "space":
      return node.negate ? invertRanges(spaces) : spaces;
    case "property":
      return propertyRanges(node.raw);
    default:
      return node satisfies never;
  }
}

export function flagsWithin(group: AST.Group, flags: PatternFlags): PatternFlags {
  const { modifiers } = group;
  if (modifiers == null) return flags;
  const { add, remove } = modifiers;
  return {
    ignoreCase: add.ignoreCase || (flags.ignoreCase && remove?.ignoreCase !== true),
    multiline: add.multiline || (flags.multiline && remove?.multiline !== true),
    dotAll: add.dotAll || (flags.dotAll && remove?.dotAll !== true),
  };
}

interface Size extends Pick<FilterReach, "lookAhead" | "spansSpace"> {
  /** Code units; Infinity where there is no bound. */
  readonly longest: number;
  /** Of an automaton in which counted repetitions are written out. */
  readonly states: number;
  readonly isRepeated: boolean;
}

const empty: Size = { longest: 0, lookAhead: 0, spansSpace: false, states: 0, isRepeated: false };

/** Throws a PatternError for a pattern that is too large to run, or has what no engine runs in linear time. */
export function patternReach(pattern: AST.Pattern): FilterReach {
  const { longest, lookAhead, spansSpace, states, isRepeated } = sizeOfAny(pattern.alternatives, noFlags);
  if (isRepeated && states > MAX_STATES) {
    throw new PatternError(
      `has repetitions that multiply out to ${states} states; at most ${MAX_STATES} are allowed`,
    );
  }
  return { maxMatch: Number.isFinite(longest) ? longest : null, lookAhead, lookBehind: 1, spansSpace };
}

function sizeOfAny(alternatives: readonly AST.Alternative[], flags: PatternFlags): Size {
  let size = empty;
  for (const { elements } of alternatives) {
    const one = elements.reduce((sum, element) => {
      const next = sizeOf(element, flags);
      return { ...joined(sum, next), longest: sum.longest + next.longest };
    }, empty);
    size = { ...joined(size, one), longest: Math.max(size.longest, one.longest) };
  }
  return size;
}

const joined = (one: Size, other: Size): Size => ({
  longest: 0,
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
      return { ...empty, longest: unitsOf(ranges), spansSpace: containsAny(ranges, spaces), states: 1 };
    }
    case "Group":
      return sizeOfAny(node.alternatives, flagsWithin(node, flags));
    case "CapturingGroup":
      return sizeOfAny(node.alternatives, flags);
    case "Quantifier":
      return sizeOfQuantifier(node, flags);
    case "Assertion":
      if (node.kind === "lookahead" || node.kind === "lookbehind") {
        throw new PatternError("has a group that looks around, which is not allowed");
      }
      return { ...empty, lookAhead: node.kind === "start" ? 0 : 1, states: 1 };
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
    longest: one.longest === 0 || max === 0 ? 0 : one.longest * max,
    states: one.states * copies,
    isRepeated: one.isRepeated || isCounted,
  };
}
