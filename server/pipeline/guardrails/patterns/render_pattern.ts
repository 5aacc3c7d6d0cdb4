/** A pattern as V8 reads it without the flag `u`. */

import type { AST } from "@eslint-community/regexpp";
import { type CodePointRanges, invertRanges, isAllAstral, mergeRanges, splitAstral } from "../code_points.ts";
import { flagsWithin, noFlags, type PatternFlags, rangesOf } from "./pattern_syntax.ts";

/** Undefined where V8 cannot say it: it has no single characters of two code units without the flag `u`. */
export function renderForV8(pattern: AST.Pattern): string | undefined {
  try {
    return renderAny(pattern.alternatives, noFlags);
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

class Inexpressible extends Error {}

const renderAny = (alternatives: readonly AST.Alternative[], flags: PatternFlags): string =>
  alternatives.map(({ elements }) => elements.map((element) => render(element, flags)).join("")).join("|");

function render(node: AST.Element, flags: PatternFlags): string {
  switch (node.type) {
    case "Character":
    case "CharacterClass":
    case "CharacterSet":
      return renderSet(rangesOf(node, flags));
    case "CapturingGroup":
      return `(?:${renderAny(node.alternatives, flags)})`;
    case "Group":
      return `(?:${renderAny(node.alternatives, flagsWithin(node, flags))})`;
    case "Quantifier":
      return `(?:${render(node.element, flags)})${boundsOf(node)}`;
    case "Assertion":
      return renderAssertion(node, flags);
    default:
      throw new Inexpressible();
  }
}

function renderAssertion(node: AST.Assertion, { multiline }: PatternFlags): string {
  const inLines = (edge: "^" | "$") => multiline ? `(?m:${edge})` : edge;
  if (node.kind === "start") return inLines("^");
  if (node.kind === "end") return inLines("$");
  if (node.kind === "word") return node.negate ? "\\B" : "\\b";
  throw new Inexpressible();
}

const isPlain = (codePoint: number) =>
  (codePoint >= 48 && codePoint <= 57) || (codePoint >= 65 && codePoint <= 90) ||
  (codePoint >= 97 && codePoint <= 122);

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;

function renderSet(ranges: CodePointRanges): string {
  const [[first, last] = [0, 1], ...others] = ranges;
  if (first === last && others.length === 0 && !isHalf(first)) return renderCharacter(first);
  const { units, astral } = splitAstral(withoutHalves(ranges));
  const single = `[${units.map(([from, to]) => `${escapeUnit(from)}-${escapeUnit(to)}`).join("")}]`;
  if (astral.length === 0) return single;
  if (!isAllAstral(astral)) throw new Inexpressible();
  return `(?:[\\ud800-\\udbff][\\udc00-\\udfff]|${single})`;
}

function renderCharacter(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  if (isPlain(codePoint)) return char;
  const units = char.split("").map((unit) => escapeUnit(unit.charCodeAt(0)));
  return units.length === 1 ? units.join("") : `(?:${units.join("")})`;
}

const halves: CodePointRanges = [[0xd800, 0xdfff]];
const isHalf = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

/** Texts are read with whole characters only. */
const withoutHalves = (ranges: CodePointRanges): CodePointRanges =>
  invertRanges([...invertRanges(mergeRanges(ranges)), ...halves]);

function boundsOf({ min, max, greedy }: AST.Quantifier): string {
  const lazy = greedy ? "" : "?";
  if (min === 0 && max === 1) return `?${lazy}`;
  return `{${min},${Number.isFinite(max) ? max : ""}}${lazy}`;
}
