/** Makes strings that match a pattern: several tries, each checked, so look-arounds come out right as well. */

import type { WorkBudget } from "./work_budget.ts";
import { matchRegex } from "./regex_match.ts";
import { parseRegex, type RegexTree } from "./regex_parser.ts";

const MAX_MADE = 4_000;
const TRIES = 60;

/** Lengths in code points. */
export interface LengthRange {
  readonly min: number;
  readonly max: number;
}

interface Draft {
  /** Which try this is: moves every choice. */
  readonly turn: number;
  /** How many repeats beyond the least. */
  readonly extra: number;
  readonly groups: Map<number | string, string>;
  text: string;
}

/** Whether `text` matches `pattern`; undefined when that cannot be said within the budget. */
export function matchesPattern(
  pattern: string,
  text: string,
  { budget }: { readonly budget: WorkBudget },
): boolean | undefined {
  if (!budget.spend(1 + pattern.length / 20)) return undefined;
  const tree = parseRegex(pattern);
  return tree === undefined ? undefined : matchRegex(tree, text, budget);
}

/** Different strings that match `pattern` and have a length within `lengths`. */
export function* generateMatching(pattern: string, lengths: LengthRange): Generator<string> {
  const tree = parseRegex(pattern);
  if (tree === undefined) return;
  const seen = new Set<string>();
  for (let turn = 0; turn < TRIES; turn++) {
    const text = attempt(tree, turn, lengths);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    if (matchRegex(tree, text) === true) yield text;
  }
}

/** The n-th try: short ones first, then as long as the least length asks. */
function attempt(tree: RegexTree, turn: number, lengths: LengthRange): string | undefined {
  const wanted = [2, 0, 1, 4, lengths.min, 8, Math.ceil(lengths.min / 2), 16];
  const draft: Draft = { turn, extra: wanted[turn % wanted.length] ?? 0, groups: new Map(), text: "" };
  if (!write(draft, tree)) return undefined;
  const padded = isOpen(tree) ? draft.text.padEnd(Math.min(lengths.min, MAX_MADE), "a") : draft.text;
  const length = [...padded].length;
  return length >= lengths.min && length <= lengths.max ? padded : undefined;
}

/** Whether anything may follow: the pattern does not end with `$`. */
function isOpen(tree: RegexTree): boolean {
  const last = tree.type === "all" ? tree.of.at(-1) : tree;
  return last?.type !== "edge" && tree.type !== "any";
}

/** False when the text grows out of bounds. */
function write(draft: Draft, tree: RegexTree): boolean {
  if (draft.text.length > MAX_MADE) return false;
  switch (tree.type) {
    case "one":
      return writeOne(draft, tree.set.likely);
    case "all":
      return tree.of.every((part) => write(draft, part));
    case "any":
      return write(draft, tree.of[draft.turn % tree.of.length] ?? { type: "all", of: [] });
    case "times":
      return writeTimes(draft, tree);
    case "group":
      return writeGroup(draft, tree);
    case "again":
      draft.text += draft.groups.get(tree.group) ?? "";
      return true;
    case "look":
    case "edge":
      return true;
  }
}

function writeOne(draft: Draft, likely: readonly number[]): boolean {
  const code = likely[(draft.text.length * 7 + draft.turn * 5) % Math.max(1, likely.length)];
  if (code === undefined) return false;
  draft.text += String.fromCodePoint(code);
  return true;
}

function writeTimes(draft: Draft, tree: Extract<RegexTree, { type: "times" }>): boolean {
  const times = Math.min(tree.max, tree.min + draft.extra);
  if (times > MAX_MADE) return false;
  for (let i = 0; i < times; i++) {
    if (!write(draft, tree.of)) return false;
  }
  return true;
}

function writeGroup(draft: Draft, tree: Extract<RegexTree, { type: "group" }>): boolean {
  const from = draft.text.length;
  const written = write(draft, tree.of);
  draft.groups.set(tree.index, draft.text.slice(from));
  if (tree.name !== undefined) draft.groups.set(tree.name, draft.text.slice(from));
  return written;
}
