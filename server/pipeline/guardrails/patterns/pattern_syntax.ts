/** The syntax of patterns: JavaScript's, and the characters that its parts stand for. */

import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { truncateStart } from "../../../../shared/util/text.ts";
import { withOtherCases } from "./case_folding.ts";
import {
  type CodePointRanges,
  digits,
  invertRanges,
  lineTerminators,
  mergeRanges,
  propertyRanges,
  spaces,
  wordCharacters,
} from "../code_points.ts";
import { readDialect } from "./pattern_dialects.ts";

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

/**
 * Throws a PatternError for what is no pattern, or is nested too deeply. Patterns that were saved before other dialects
 * were refused are read as they were read then.
 */
export function parsePattern(pattern: string): AST.Pattern {
  for (const strict of new Set([pattern, readDialect(pattern).strict])) {
    try {
      return parseStrict(strict);
    } catch (error) {
      if (error instanceof PatternError && error.cause === undefined) throw error;
      // JavaScript takes more without the flag `u`.
    }
  }
  return parseAs(pattern, { unicode: false });
}

/** As JavaScript reads it with the flag `u`. Throws a PatternError. */
export function parseStrict(pattern: string): AST.Pattern {
  if (nestingOf(pattern) > MAX_DEPTH) {
    throw new PatternError(`has groups within groups; at most ${MAX_DEPTH} levels are allowed`);
  }
  return parseAs(pattern, { unicode: true });
}

function parseAs(pattern: string, flags: { readonly unicode: boolean }): AST.Pattern {
  try {
    return parser.parsePattern(pattern, undefined, undefined, flags);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    // The parser repeats the pattern in front of its reason.
    const short = truncateStart(reason.slice(reason.lastIndexOf(": ") + 2), REASON_CHARS);
    throw new PatternError(`is no regular expression: ${short}`, { cause });
  }
}

const REASON_CHARS = 120;

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

/** The code points that a character, a class or a set stands for, with their other cases under `ignoreCase`. */
export function rangesOf(
  node: AST.CharacterClassElement | AST.CharacterSet | AST.CharacterClass | AST.Character,
  flags: PatternFlags,
): CodePointRanges {
  switch (node.type) {
    case "Character":
      return inCases([[node.value, node.value]], flags);
    case "CharacterClassRange":
      return inCases([[node.min.value, node.max.value]], flags);
    case "CharacterClass":
      return node.negate ? invertRanges(membersOf(node, flags)) : membersOf(node, flags);
    case "CharacterSet":
      return setRanges(node, flags);
    default:
      throw new PatternError("has a construct that is not allowed");
  }
}

const inCases = (ranges: CodePointRanges, { ignoreCase }: PatternFlags): CodePointRanges =>
  ignoreCase ? withOtherCases(ranges) : ranges;

/** Code points that a class lists, before it is negated. */
function membersOf(node: AST.CharacterClass, flags: PatternFlags): CodePointRanges {
  return mergeRanges(node.elements.flatMap((element) => {
    if (element.type === "ClassStringDisjunction" || element.type === "ExpressionCharacterClass") {
      throw new PatternError("has a construct that is not allowed");
    }
    return [...rangesOf(element, flags)];
  }));
}

function setRanges(node: AST.CharacterSet, flags: PatternFlags): CodePointRanges {
  switch (node.kind) {
    case "any":
      return flags.dotAll ? [[0, 0x10ffff]] : invertRanges(lineTerminators);
    case "digit":
      return node.negate ? invertRanges(digits) : digits;
    case "word":
      return node.negate ? invertRanges(wordCharacters) : wordCharacters;
    case "space":
      return node.negate ? invertRanges(spaces) : spaces;
    case "property":
      return node.negate ? propertyRanges(node.raw) : inCases(propertyRanges(node.raw), flags);
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
