/** A pattern as an automaton: nodes that read a character, branch, assert something, or end a match. */

import type { AST } from "@eslint-community/regexpp";
import { Alphabet, type ClassRanges, EDGE, LETTER, LINE_END, WORD } from "./alphabet.ts";
import type { CodePointRanges } from "../code_points.ts";
import { flagsWithin, noFlags, PatternError, type PatternFlags, rangesOf } from "./pattern_syntax.ts";

export const READ = 0;
export const BRANCH = 1;
export const ASSERT = 2;
export const MATCH = 3;

export interface LinearProgram {
  /** READ and so on, by node. */
  readonly kinds: Uint8Array;
  /** Where a node leads to; of branches the way that is tried first. */
  readonly next: Int32Array;
  /** Argument of each node: of branches the other way, of READ the set, of ASSERT the assertion. */
  readonly other: Int32Array;
  readonly sets: readonly ClassRanges[];
  readonly start: number;
  readonly alphabet: Alphabet;
  readonly hasAssertions: boolean;
  /** A match goes on as long as any way goes on, not as long as the one that is tried first. */
  readonly isLongest: boolean;
}

/** Most nodes, also of a pattern that was saved when more was allowed. */
const MOST_NODES = 2_000_000;

const TEXT_START = 0;
const TEXT_END = 1;
const LINE_START_AT = 2;
const LINE_END_AT = 3;
const WORD_EDGE = 4;
const NO_WORD_EDGE = 5;
/** The edge of a word of any script. */
export const UNICODE_EDGE = 6;

/** Whether an assertion holds between two characters, of which the kinds are given. */
export function holdsBetween(
  assertion: number,
  { before, after }: { readonly before: number; readonly after: number },
): boolean {
  switch (assertion) {
    case TEXT_START:
      return (before & EDGE) !== 0;
    case TEXT_END:
      return (after & EDGE) !== 0;
    case LINE_START_AT:
      return (before & (EDGE | LINE_END)) !== 0;
    case LINE_END_AT:
      return (after & (EDGE | LINE_END)) !== 0;
    case UNICODE_EDGE:
      return (before & LETTER) !== (after & LETTER);
    default:
      return ((before & WORD) !== (after & WORD)) === (assertion === WORD_EDGE);
  }
}

/** Throws a PatternError for what is too large to be written out. */
export function compileProgram(pattern: AST.Pattern): LinearProgram {
  return new ProgramBuilder().build((builder) => builder.any(pattern.alternatives, noFlags));
}

/** Where it begins, once it is known what comes behind it. */
export type Entry = (next: number) => number;

interface BuildOptions {
  readonly isLongest?: boolean;
  /** Characters whose edge `UNICODE_EDGE` is. */
  readonly letters?: CodePointRanges;
}

export class ProgramBuilder {
  readonly #kinds: number[] = [];
  readonly #next: number[] = [];
  readonly #other: number[] = [];
  readonly #sets: CodePointRanges[] = [];
  readonly #setNumbers = new Map<string, number>();
  #hasAssertions = false;

  build(
    body: (builder: ProgramBuilder) => Entry,
    { isLongest = false, letters = [] }: BuildOptions = {},
  ): LinearProgram {
    const end = this.#add(MATCH, { next: -1, other: -1 });
    const start = body(this)(end);
    const alphabet = new Alphabet(this.#sets, letters);
    return {
      kinds: Uint8Array.from(this.#kinds),
      next: Int32Array.from(this.#next),
      other: Int32Array.from(this.#other),
      sets: this.#sets.map((set) => alphabet.classesOf(set)),
      start,
      alphabet,
      hasAssertions: this.#hasAssertions,
      isLongest,
    };
  }

  any(alternatives: readonly AST.Alternative[], flags: PatternFlags): Entry {
    return (next) => {
      const entries = alternatives.map(({ elements }) =>
        elements.reduceRight((behind, element) => this.#element(element, flags)(behind), next)
      );
      return this.either(entries);
    };
  }

  read(set: CodePointRanges, next: number): number {
    return this.#add(READ, { next, other: this.#setNumber(set) });
  }

  asserted(assertion: number, next: number): number {
    this.#hasAssertions = true;
    return this.#add(ASSERT, { next, other: assertion });
  }

  /** The first of the ways is tried first. */
  either(ways: readonly number[]): number {
    if (ways.length === 0) return this.read([], 0);
    return ways.reduceRight((other, own) => this.#add(BRANCH, { next: own, other }));
  }

  #element(node: AST.Element, flags: PatternFlags): Entry {
    switch (node.type) {
      case "Character":
      case "CharacterClass":
      case "CharacterSet": {
        const set = rangesOf(node, flags);
        return (next) => this.read(set, next);
      }
      case "Group":
        return this.any(node.alternatives, flagsWithin(node, flags));
      case "CapturingGroup":
        return this.any(node.alternatives, flags);
      case "Quantifier":
        return this.#repeated(node, this.#element(node.element, flags));
      case "Assertion":
        return (next) => this.asserted(assertionOf(node, flags), next);
      default:
        throw new PatternError("has a construct that is not allowed");
    }
  }

  /** `x{2,4}` is `xx(x(x)?)?`. */
  #repeated({ min, max, greedy }: AST.Quantifier, one: Entry): Entry {
    const branch = (own: number, rest: number) =>
      this.#add(BRANCH, greedy ? { next: own, other: rest } : { next: rest, other: own });
    return (next) => {
      let entry = next;
      if (Number.isFinite(max)) {
        for (let left = max - min; left > 0; left--) entry = branch(one(entry), next);
      } else {
        const loop = this.#add(BRANCH, { next, other: next });
        const own = one(loop);
        (greedy ? this.#next : this.#other)[loop] = own;
        entry = loop;
      }
      for (let left = min; left > 0; left--) entry = one(entry);
      return entry;
    };
  }

  #add(kind: number, { next, other }: { readonly next: number; readonly other: number }): number {
    if (this.#kinds.length >= MOST_NODES) throw new PatternError("is too large to run");
    this.#next.push(next);
    this.#other.push(other);
    return this.#kinds.push(kind) - 1;
  }

  #setNumber(set: CodePointRanges): number {
    const key = set.join(" ");
    const known = this.#setNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.push(set) - 1;
    this.#setNumbers.set(key, number);
    return number;
  }
}

function assertionOf(node: AST.Assertion, { multiline }: PatternFlags): number {
  if (node.kind === "start") return multiline ? LINE_START_AT : TEXT_START;
  if (node.kind === "end") return multiline ? LINE_END_AT : TEXT_END;
  if (node.kind === "word") return node.negate ? NO_WORD_EDGE : WORD_EDGE;
  throw new PatternError("has a group that looks around, which is not allowed");
}
