/** A pattern, written so that two engines read the same: V8 without the flag `u`, and RE2. */

import type { AST } from "@eslint-community/regexpp";
import { type CodePointRanges, invertRanges, isAllAstral, mergeRanges, splitAstral } from "./code_points.ts";
import { flagsWithin, membersOf, noFlags, type PatternFlags, rangesOf } from "./pattern_syntax.ts";

export type PatternDialect = "v8" | "re2";

interface Place {
  readonly dialect: PatternDialect;
  readonly flags: PatternFlags;
  /** How often the place is repeated by groups around it. */
  readonly repeated: number;
}

/** RE2 counts to here, and so do repetitions within repetitions together. */
const MOST_COUNTED = 1_000;

/** Undefined where the dialect cannot say it: V8 has no single characters of two code units without the flag `u`. */
export function renderPattern(pattern: AST.Pattern, dialect: PatternDialect): string | undefined {
  try {
    return renderAny(pattern.alternatives, { dialect, flags: noFlags, repeated: 1 });
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

class Inexpressible extends Error {}

const renderAny = (alternatives: readonly AST.Alternative[], place: Place): string =>
  alternatives.map(({ elements }) => elements.map((element) => render(element, place)).join("")).join("|");

function render(node: AST.Element, place: Place): string {
  switch (node.type) {
    case "Character":
      return renderCharacter(node.value, place);
    case "CharacterClass":
    case "CharacterSet":
      return renderSet(node, place);
    case "CapturingGroup":
      return `(?:${renderAny(node.alternatives, place)})`;
    case "Group":
      return renderGroup(node, place);
    case "Quantifier":
      return renderQuantifier(node, place);
    case "Assertion":
      return renderAssertion(node);
    default:
      throw new Inexpressible();
  }
}

function renderAssertion(node: AST.Assertion): string {
  if (node.kind === "start") return "^";
  if (node.kind === "end") return "$";
  if (node.kind === "word") return node.negate ? "\\B" : "\\b";
  throw new Inexpressible();
}

const isPlain = (codePoint: number) =>
  (codePoint >= 48 && codePoint <= 57) || (codePoint >= 65 && codePoint <= 90) ||
  (codePoint >= 97 && codePoint <= 122);

function renderCharacter(codePoint: number, { dialect }: Place): string {
  if (isPlain(codePoint)) return String.fromCodePoint(codePoint);
  if (dialect === "re2") return `\\x{${codePoint.toString(16)}}`;
  const units = String.fromCodePoint(codePoint).split("").map((unit) => escapeUnit(unit.charCodeAt(0)));
  return units.length === 1 ? units.join("") : `(?:${units.join("")})`;
}

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;

function renderSet(node: AST.CharacterClass | AST.CharacterSet, { dialect, flags }: Place): string {
  if (dialect === "re2") {
    // A negated class stays one: its members have other cases, which are not in it either.
    if (node.type === "CharacterClass" && node.negate) return re2Class(membersOf(node, flags), "^");
    return re2Class(rangesOf(node, flags), "");
  }
  if (flags.ignoreCase) throw new Inexpressible();
  const { units, astral } = splitAstral(withoutHalves(rangesOf(node, flags)));
  const single = `[${units.map(([first, last]) => `${escapeUnit(first)}-${escapeUnit(last)}`).join("")}]`;
  if (astral.length === 0) return single;
  if (!isAllAstral(astral)) throw new Inexpressible();
  return `(?:[\\ud800-\\udbff][\\udc00-\\udfff]|${single})`;
}

const halves: CodePointRanges = [[0xd800, 0xdfff]];

/** Texts are read with whole characters only. */
const withoutHalves = (ranges: CodePointRanges): CodePointRanges =>
  invertRanges([...invertRanges(mergeRanges(ranges)), ...halves]);

function re2Class(ranges: CodePointRanges, sign: "^" | ""): string {
  const merged = mergeRanges(ranges);
  if (merged.length > 0) {
    const members = merged.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`);
    return `[${sign}${members.join("")}]`;
  }
  // RE2 has no empty class: nothing, or anything.
  const [all] = invertRanges([]);
  const whole = `\\x{0}-\\x{${all?.[1].toString(16)}}`;
  return sign === "^" ? `[${whole}]` : `[^${whole}]`;
}

function renderGroup(node: AST.Group, place: Place): string {
  const { dialect } = place;
  const flags = flagsWithin(node, place.flags);
  const body = renderAny(node.alternatives, { ...place, flags });
  if (node.modifiers == null) return `(?:${body})`;
  if (dialect === "v8") throw new Inexpressible();
  // A dot is a class by now: what is left to say is how letters and lines are read.
  const on = `${flags.ignoreCase ? "i" : ""}${flags.multiline ? "m" : ""}`;
  const off = `${flags.ignoreCase ? "" : "i"}${flags.multiline ? "" : "m"}`;
  return `(?${on}${off === "" ? "" : `-${off}`}:${body})`;
}

function renderQuantifier({ element, min, max, greedy }: AST.Quantifier, place: Place): string {
  const lazy = greedy ? "" : "?";
  const count = Number.isFinite(max) ? max : min;
  const repeated = place.repeated * Math.max(count, 1);
  if (place.dialect === "v8" || repeated <= MOST_COUNTED) {
    return `(?:${render(element, { ...place, repeated })})${boundsOf(min, max)}${lazy}`;
  }
  const one = `(?:${render(element, place)})`;
  // `((x)?x)?` and not `x?x?`, in which the engine would have to look at every way to leave some out.
  const rest = Number.isFinite(max) ? optionalCopies(one, { count: max - min, lazy }) : `${one}*${lazy}`;
  return `(?:${one.repeat(min)}${rest})`;
}

function boundsOf(min: number, max: number): string {
  if (min === 0 && max === 1) return "?";
  if (!Number.isFinite(max)) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return `{${min},${max}}`;
}

/** Groups within groups are limited, so the copies stand in blocks. */
const BLOCK = 50;

function optionalCopies(
  one: string,
  { count, lazy }: { readonly count: number; readonly lazy: string },
): string {
  let text = "";
  for (let left = count; left > 0; left -= BLOCK) {
    let block = "";
    for (let copies = Math.min(left, BLOCK); copies > 0; copies--) block = `(?:${one}${block})?${lazy}`;
    text += block;
  }
  return text;
}
