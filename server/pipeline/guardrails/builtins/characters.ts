/** Classes of UTF-16 code units. NaN, which `charCodeAt` gives outside of a text, is in none of them. */

import type { TextMatch } from "../text_filter.ts";

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export const isAsciiLetter = (code: number): boolean => {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
};

const letter = /[\p{L}\p{M}]/u;

/** Letters of every script that has them below U+10000, and marks that belong to a letter. */
export function isLetter(code: number): boolean {
  if (code < 128) return isAsciiLetter(code);
  return code >= 0xaa && letter.test(String.fromCharCode(code));
}

/** Letters, digits and the underscore of ASCII. */
const wordCodes = new Uint8Array(128);
for (let code = 0; code < 128; code++) if (/\w/.test(String.fromCharCode(code))) wordCodes[code] = 1;

export const isWord = (code: number): boolean => code < 128 ? wordCodes[code] === 1 : isLetter(code);

/** A space, also one at which no line breaks: typesetters put it between groups of digits. */
export const isSpace = (code: number): boolean => code === 32 || code === 0xa0 || code === 0x202f;

export const isHyphen = (code: number): boolean => code === 45 || code === 0x2010 || code === 0x2011;

/** A table for `scanStarts` of the characters of a text, which are all below U+0100. */
export function startTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

export const DIGITS = "0123456789";
export const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ";

interface Start {
  /** Characters with which a match can begin. */
  readonly starts: Uint8Array;
  /** The one of them that may stand behind a letter, a digit or an underscore. */
  readonly inside?: number;
  /** The end of the match that begins at a position; -1 where none does. */
  readonly matchAt: (text: string, start: number) => number;
}

/** The leftmost match at or behind `from`. None begins inside of a word. */
export function scanStarts(
  text: string,
  from: number,
  { starts, inside, matchAt }: Start,
): TextMatch | undefined {
  let before = from > 0 ? text.charCodeAt(from - 1) : 0;
  for (let start = Math.max(from, 0); start < text.length; start++) {
    const code = text.charCodeAt(start);
    const isSkipped = code > 255 || starts[code] === 0 || wordCodes[before] === 1 && code !== inside;
    before = code;
    if (isSkipped) continue;
    const end = matchAt(text, start);
    if (end !== -1) return { start, end };
  }
  return undefined;
}

interface Sign {
  /** Pattern that every match contains; global. */
  readonly sign: RegExp;
  /** Code units from the start of a match to the sign, at most. */
  readonly reach: number;
  readonly find: (text: string, from: number) => TextMatch | undefined;
}

/** Most texts do not have the sign, which an expression says faster than a look at every character. */
export function findBySign(text: string, from: number, { sign, reach, find }: Sign): TextMatch | undefined {
  sign.lastIndex = Math.max(from, 0);
  if (!sign.test(text)) return undefined;
  const start = sign.lastIndex - reach;
  return find(text, Math.max(from, start));
}

/** The end of what a sticky expression matches at a position; -1 where it does not. */
export function endOf(expression: RegExp, text: string, { at }: { readonly at: number }): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : -1;
}
