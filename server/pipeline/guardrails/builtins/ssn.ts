/** Social security numbers of the United States, with separators: nine digits alone are anything. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import {
  DIGITS,
  endOf,
  findBySign,
  isDigit,
  isHyphen,
  isLetter,
  isSpace,
  isWord,
  scanStarts,
  startTable,
} from "./characters.ts";

/** Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never given out. */
const form = /(?!000|666|9)\d{3}([-\u2010\u2011 \u00a0])(?!00)\d{2}\1(?!0000)\d{4}/y;

const LENGTH = 11;
const DOT = 46;
const LOOK_BEHIND = 4;

const isSeparator = (code: number): boolean => isSpace(code) || isHyphen(code);

/** True where the digits before belong to the same number, or letters make it a reference: `INV-219-09-9999`. */
function isContinued(text: string, start: number): boolean {
  const [before, second] = [text.charCodeAt(start - 1), text.charCodeAt(start - 2)];
  if (isWord(before) || before === DOT) return true;
  if (isSpace(before)) return isDigit(second);
  if (!isHyphen(before)) return false;
  if (isLetter(second)) {
    return text.slice(Math.max(start - LOOK_BEHIND, 0), start - 1).toLowerCase() !== "ssn";
  }
  return isDigit(second);
}

function matchAt(text: string, start: number): number {
  const separator = text.charCodeAt(start + 3);
  if (!isSeparator(separator) || isContinued(text, start)) return -1;
  const end = endOf(form, text, { at: start });
  if (end === -1) return -1;
  const [next, second] = [text.charCodeAt(end), text.charCodeAt(end + 1)];
  return isWord(next) || isDigit(second) && (isSeparator(next) || next === DOT) ? -1 : end;
}

const starts = startTable(DIGITS);

const signed = {
  sign: /\d{2}[-\u2010\u2011 \u00a0]\d{4}/g,
  reach: 16,
  find: (text: string, from: number) => scanStarts(text, from, { starts, matchAt }),
};

export const ssn: BuiltinFilter = {
  slug: "ssn",
  placeholder: "[SSN]",
  entityType: "US_SSN",
  maxMatch: LENGTH,
  lookAhead: 2,
  lookBehind: LOOK_BEHIND,
  spansSpace: true,
  find: (text, from) => findBySign(text, from, signed),
};
