/** A list of words as one automaton: whole words in any case, however many there are. */

import { withOtherCases } from "./patterns/case_folding.ts";
import { type CodePointRanges, propertyRanges, spaces } from "./code_points.ts";
import { type Entry, type ProgramBuilder, UNICODE_EDGE } from "./patterns/linear_program.ts";

/** Words by their first characters. */
interface WordTree {
  readonly branches: Map<string, { readonly set: CodePointRanges; readonly rest: WordTree }>;
  /** Whether a word ends here, and whether another letter may stand behind it. */
  end?: "anywhere" | "edge";
}

const newTree = (): WordTree => ({ branches: new Map() });

/** Most characters that a space in a word stands for: a line end of two characters and an indentation. */
const MOST_SPACES = 3;

/** Scripts that put no space between words. */
const noSpaces = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`).join("");
const needsEdge = new RegExp(`^(?![${noSpaces}])[\\p{L}\\p{M}\\p{N}_]$`, "u");

/** The letters, marks and digits that words are made of. */
export const unicodeWord =
  (): CodePointRanges => [...["\\p{L}", "\\p{M}", "\\p{N}"].flatMap((name) => [...propertyRanges(name)]), [
    0x5f,
    0x5f,
  ]];

/** The most code units that a match can have. */
export const longestWord = (words: readonly string[]): number =>
  Math.max(...words.flatMap(spellings).map((word) => word.length + spacesIn(word) * (MOST_SPACES - 1)));

const spacesIn = (word: string) => word.split(" ").length - 1;

/** With marks of their own, and as one character with its letter. */
const spellings = (word: string): readonly string[] => {
  const plain = word.trim().replaceAll(/\s+/g, " ");
  return [...new Set([plain.normalize("NFC"), plain.normalize("NFD")])];
};

/** The longest of the words that fit comes first. */
export function wordsEntry(builder: ProgramBuilder, words: readonly string[]): Entry {
  const [atEdge, anywhere] = [newTree(), newTree()];
  for (const word of words.flatMap(spellings)) {
    const chars = [...word];
    addWord(needsEdge.test(chars[0] ?? "") ? atEdge : anywhere, chars);
  }
  return (next) =>
    builder.either([
      builder.asserted(UNICODE_EDGE, treeEntry(builder, atEdge)(next)),
      treeEntry(builder, anywhere)(next),
    ]);
}

function addWord(tree: WordTree, chars: readonly string[]): void {
  let node = tree;
  for (const char of chars) {
    const set = char === " "
      ? spaces
      : withOtherCases([[char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0]]);
    const key = set.join(" ");
    let branch = node.branches.get(key);
    if (branch === undefined) node.branches.set(key, branch = { set, rest: newTree() });
    node = branch.rest;
  }
  const end = needsEdge.test(chars.at(-1) ?? "") ? "edge" : "anywhere";
  if (node.end !== "anywhere") node.end = end;
}

function treeEntry(builder: ProgramBuilder, { branches, end }: WordTree): Entry {
  return (next) => {
    const ways = [...branches.values()].map(({ set, rest }) => {
      const behind = treeEntry(builder, rest)(next);
      return set === spaces ? spacesEntry(builder, behind) : builder.read(set, behind);
    });
    if (end === "anywhere") ways.push(next);
    if (end === "edge") ways.push(builder.asserted(UNICODE_EDGE, next));
    return builder.either(ways);
  };
}

function spacesEntry(builder: ProgramBuilder, next: number): number {
  let entry = next;
  for (let more = 1; more < MOST_SPACES; more++) entry = builder.either([builder.read(spaces, entry), next]);
  return builder.read(spaces, entry);
}
