/** Makes a filter of what an identity number looks like. */

import type { BuiltinSlug } from "../../../../../shared/guardrails.ts";
import type { TextMatch } from "../../text_filter.ts";
import type { BuiltinFilter } from "../builtin_filter.ts";
import { isDigit, isWord } from "../characters.ts";
import { readSpellings } from "../../read_spellings.ts";
import { digitRuns } from "./digit_runs.ts";

/** How far before a number the word may stand that says which it is. */
export const WORD_REACH = 48;
const MAX_MATCH = 48;
const SPACE = 32;

interface NationalId {
  readonly slug: BuiltinSlug;
  readonly placeholder: string;
  readonly entityType: string;
  /** Form of the number, with its separators; no letters or digits may stand before or behind it. */
  readonly form: string;
  /** Whether the check digits of the number without separators are right. */
  readonly isValid: (compact: string) => boolean;
  /** Words and names of fields that announce it, where nothing else makes it certain. */
  readonly words?: RegExp;
  /** Written like this it needs no word before it. */
  readonly certain?: RegExp;
  /** Code units from its start to its first digits, at most. */
  readonly lead?: number;
  /** Sign that every number has where it has fewer than six digits in a row; global. */
  readonly sign?: RegExp;
}

const isJoint = (code: number): boolean => code === 45 || code === 46 || code === 47;

/** Whether the characters before belong to the same number. */
function isContinued(text: string, start: number): boolean {
  const [before, second] = [text.charCodeAt(start - 1), text.charCodeAt(start - 2)];
  if (isWord(before)) return true;
  return isJoint(before) ? isWord(second) : before === SPACE && isDigit(second);
}

function isEnd(text: string, end: number): boolean {
  const [next, second] = [text.charCodeAt(end), text.charCodeAt(end + 1)];
  return !isWord(next) && !(isJoint(next) && isWord(second)) && !(next === SPACE && isDigit(second));
}

/** One digit all the way stands in the place of a number. */
const isRepeated = /^(\d)\1+$/;

export function nationalId(id: NationalId): BuiltinFilter {
  const form = new RegExp(id.form, "y");
  const matchAt = (text: string, start: number): number => {
    form.lastIndex = start;
    if (!form.test(text)) return -1;
    const end = form.lastIndex;
    if (isContinued(text, start) || !isEnd(text, end)) return -1;
    const number = text.slice(start, end);
    const compact = number.replaceAll(/[ .\-/]/g, "");
    if (isRepeated.test(compact) || !id.isValid(compact)) return -1;
    if (id.words === undefined || id.certain?.test(number) === true) return end;
    return id.words.test(text.slice(Math.max(start - WORD_REACH, 0), start)) ? end : -1;
  };
  const lead = id.lead ?? 0;
  return readSpellings({
    slug: id.slug,
    placeholder: id.placeholder,
    entityType: id.entityType,
    maxMatch: MAX_MATCH,
    lookAhead: 2,
    lookBehind: WORD_REACH,
    spansSpace: true,
    find: (text, from) =>
      id.sign === undefined
        ? findInRuns(text, from, { lead, matchAt })
        : findSigned(text, from, { sign: id.sign, matchAt }),
  });
}

/** The first run that ends behind a place. */
function firstBehind(runs: readonly TextMatch[], place: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Matcher {
  readonly lead: number;
  readonly matchAt: (text: string, start: number) => number;
}

function findInRuns(text: string, from: number, { lead, matchAt }: Matcher): TextMatch | undefined {
  const runs = digitRuns(text);
  let next = from;
  for (let position = firstBehind(runs, from); position < runs.length; position++) {
    const run = runs[position];
    if (run === undefined) break;
    for (let start = Math.max(run.start - lead, next, 0); start < run.end; start++) {
      const end = isWord(text.charCodeAt(start - 1)) ? -1 : matchAt(text, start);
      if (end !== -1) return { start, end };
    }
    next = run.end;
  }
  return undefined;
}

interface Signed {
  readonly sign: RegExp;
  readonly matchAt: (text: string, start: number) => number;
}

/** Finds a number that begins with its sign. */
function findSigned(text: string, from: number, { sign, matchAt }: Signed): TextMatch | undefined {
  sign.lastIndex = from;
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const end = matchAt(text, found.index);
    if (end !== -1) return { start: found.index, end };
    sign.lastIndex = found.index + 1;
  }
  return undefined;
}
