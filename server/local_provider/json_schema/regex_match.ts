/** Whether a text matches a pattern, found by backtracking with a budget: callers' patterns may be hostile. */

import type { WorkBudget } from "./work_budget.ts";
import { type CharSet, type RegexTree, wordSet } from "./regex_parser.ts";

const MAX_STEPS = 10_000;
const MAX_NESTING = 1_500;

interface Run {
  readonly codes: readonly number[];
  readonly groups: Map<number | string, readonly [number, number]>;
  steps: number;
  nesting: number;
}

/** Says where a match may go on; true ends the search. */
type Then = (at: number) => boolean;

class OutOfBudget extends Error {}

/** Steps of matching that cost one step of the caller's budget. */
const STEPS_A_UNIT = 5;

/** True or false as the pattern says anywhere in `text`; undefined when that took too many steps to find out. */
export function matchRegex(tree: RegexTree, text: string, budget?: WorkBudget): boolean | undefined {
  const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
  const run: Run = { codes, groups: new Map(), steps: MAX_STEPS, nesting: 0 };
  try {
    for (let at = 0; at <= codes.length; at++) {
      if (walk(run, tree, { at, then: () => true })) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof OutOfBudget) return undefined;
    throw error;
  } finally {
    budget?.spend((MAX_STEPS - run.steps) / STEPS_A_UNIT);
  }
}

interface Spot {
  readonly at: number;
  readonly then: Then;
}

function walk(run: Run, tree: RegexTree, spot: Spot): boolean {
  run.steps -= 1;
  run.nesting += 1;
  if (run.steps < 0 || run.nesting > MAX_NESTING) throw new OutOfBudget();
  const found = step(run, tree, spot);
  run.nesting -= 1;
  return found;
}

function step(run: Run, tree: RegexTree, spot: Spot): boolean {
  switch (tree.type) {
    case "one":
      return hasAt(run, spot.at, tree.set) && spot.then(spot.at + 1);
    case "all":
      return inOrder(run, tree.of, { next: 0, ...spot });
    case "any":
      return tree.of.some((branch) => walk(run, branch, spot));
    case "times":
      return tree.of.type === "one" ? runOf(run, tree, spot) : repeated(run, tree, { ...spot, done: 0 });
    case "group":
      return grouped(run, tree, spot);
    case "again":
      return repeatedGroup(run, tree.group, spot);
    case "look":
      return looks(run, spot.at, tree) !== tree.negative && spot.then(spot.at);
    case "edge":
      return onEdge(run, spot.at, tree) && spot.then(spot.at);
  }
}

function hasAt(run: Run, at: number, set: CharSet): boolean {
  const code = run.codes[at];
  return code !== undefined && set.has(code);
}

function inOrder(run: Run, trees: readonly RegexTree[], spot: Spot & { readonly next: number }): boolean {
  const tree = trees[spot.next];
  if (tree === undefined) return spot.then(spot.at);
  const then = (at: number) => inOrder(run, trees, { ...spot, at, next: spot.next + 1 });
  return walk(run, tree, { at: spot.at, then });
}

/** A run of single characters, longest first, without nesting a call per character. */
function runOf(run: Run, tree: Extract<RegexTree, { type: "times" }>, spot: Spot): boolean {
  if (tree.of.type !== "one") return false;
  let count = 0;
  while (count < tree.max && hasAt(run, spot.at + count, tree.of.set)) count += 1;
  for (; count >= tree.min; count--) {
    run.steps -= 1;
    if (run.steps < 0) throw new OutOfBudget();
    if (spot.then(spot.at + count)) return true;
  }
  return false;
}

function repeated(
  run: Run,
  tree: Extract<RegexTree, { type: "times" }>,
  spot: Spot & { readonly done: number },
): boolean {
  const again = (at: number) => {
    if (at === spot.at && spot.done >= tree.min) return false;
    return repeated(run, tree, { ...spot, at, done: spot.done + 1 });
  };
  if (spot.done < tree.max && walk(run, tree.of, { at: spot.at, then: again })) return true;
  return spot.done >= tree.min && spot.then(spot.at);
}

function grouped(run: Run, tree: Extract<RegexTree, { type: "group" }>, spot: Spot): boolean {
  return walk(run, tree.of, {
    at: spot.at,
    then: (at) => {
      run.groups.set(tree.index, [spot.at, at]);
      if (tree.name !== undefined) run.groups.set(tree.name, [spot.at, at]);
      return spot.then(at);
    },
  });
}

function repeatedGroup(run: Run, group: number | string, spot: Spot): boolean {
  const [from, to] = run.groups.get(group) ?? [0, 0];
  for (let i = 0; i < to - from; i++) {
    if (run.codes[from + i] !== run.codes[spot.at + i]) return false;
  }
  return spot.then(spot.at + to - from);
}

function looks(run: Run, at: number, tree: Extract<RegexTree, { type: "look" }>): boolean {
  if (!tree.behind) return walk(run, tree.of, { at, then: () => true });
  for (let from = at; from >= 0; from--) {
    if (walk(run, tree.of, { at: from, then: (end) => end === at })) return true;
  }
  return false;
}

function onEdge(run: Run, at: number, tree: Extract<RegexTree, { type: "edge" }>): boolean {
  if (tree.at === "start") return at === 0;
  if (tree.at === "end") return at === run.codes.length;
  const onWord = hasAt(run, at - 1, wordSet) !== hasAt(run, at, wordSet);
  return onWord === (tree.at === "word");
}
