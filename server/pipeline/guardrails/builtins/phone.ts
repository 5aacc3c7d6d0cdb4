/** Telephone numbers: international ones by their calling code, national ones by the way in which they are written. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import { DIGITS, endOf, findBySign, isDigit, isSpace, isWord, scanStarts, startTable } from "./characters.ts";
import { internationalLengths } from "./phone_countries.ts";

const MAX_DIGITS = 15;
const MAX_MATCH = 40;
const LOOK_BEHIND = 48;
const [PLUS, ZERO, OPEN] = [43, 48, 40];

interface Digits {
  readonly digits: string;
  /** Where each digit ends. */
  readonly ends: readonly number[];
}

/** Space, full stop, hyphens, slash and brackets. */
const isSeparator = (code: number): boolean =>
  isSpace(code) || code === 40 || code === 41 || code === 45 || code === 46 || code === 47 || code === 0x2011;

/** The zero of `+49 (0) 30`, which is dialled at home only. */
const isTrunkZero = (text: string, position: number): boolean => text.startsWith("(0)", position - 1);

/** Reads digits with up to three separators between them. */
function readDigits(text: string, start: number): Digits {
  let digits = "";
  const ends: number[] = [];
  let last = start;
  for (let position = start; position < start + MAX_MATCH && digits.length < MAX_DIGITS; position++) {
    const code = text.charCodeAt(position);
    if (isDigit(code)) {
      last = position + 1;
      if (code === ZERO && isTrunkZero(text, position)) continue;
      digits += String.fromCharCode(code);
      ends.push(last);
    } else if (!isSeparator(code) || position - last >= 3) break;
  }
  return { digits, ends };
}

/** The end of the longest number with so many digits that ends with its group; -1 where there is none. */
function endWithin(
  text: string,
  { digits, ends }: Digits,
  { min, max }: { readonly min: number; readonly max: number },
) {
  for (let count = Math.min(digits.length, max); count >= min; count--) {
    const end = ends[count - 1] ?? -1;
    if (end !== -1 && (!isWord(text.charCodeAt(end)) || withExtension(text, end) > end)) return end;
  }
  return -1;
}

/** `+` and `00` stand before a calling code. */
function matchInternational(text: string, start: number, { prefix }: { readonly prefix: number }): number {
  const number = readDigits(text, start + prefix);
  const within = internationalLengths(number.digits);
  // Behind `00` no further zero: that is a table of codes.
  if (prefix === 2 && /^(?!39)\d{1,3}[ .\/-]{1,3}0/.test(text.slice(start + 2, start + 8))) return -1;
  return within === undefined ? -1 : endWithin(text, number, within);
}

const separators = "[ .\\u00a0\\u202f-]";

/** National forms whose groups and separators say enough. A number in the last place is its least count of digits. */
const forms: readonly RegExp[] = [
  // United States, Canada
  /(?:1[ .-])?\([2-9]\d{2}\)[ .-]?[2-9]\d{2}[ .-]\d{4}/y,
  /(?:1[ .-])?[2-9]\d{2}([.-])[2-9]\d{2}\1\d{4}/y,
  /(?:1 )?[2-9]\d{2} [2-9]\d{2}-\d{4}/y,
  // France, Belgium
  new RegExp(`0[1-9](${separators})\\d{2}(?:\\1\\d{2}){3}`, "y"),
  // Australia, Japan, the Netherlands, Italy: two digits for the area
  /\(0[1-9]\) ?\d{4}[ -]?\d{4}/y,
  /0[36]-\d{4}-\d{4}/y,
  /06[- ]\d{8}/y,
  /0[26] \d{4} ?\d{4}/y,
  /08-\d{3} \d{3} \d{2}/y,
  // Spain
  /[679]\d{2} \d{2} \d{2} \d{2}/y,
  /9[1-8] \d{3} \d{2} \d{2}/y,
  // China, Brazil
  /1[3-9]\d([ -])\d{4}\1\d{4}/y,
  /\([1-9]\d\) ?9?\d{4}-\d{4}/y,
];

/** United Kingdom, Germany, Austria, Switzerland, Italy: a trunk zero, an area, and what is left in groups. */
const trunk = /\(?0[1-9]\d{1,4}\)?(?: ?[/–-] ?| )[1-9]\d{1,7}(?:[ -]\d{2,8}){0,3}/y;

/** `x123`, ` ext. 45`: what is dialled behind the number. */
const extension = /(?: ?(?:x|ext\.?|extension|durchwahl|poste|int\.) ?\d{1,6})(?!\w)/iy;
const MAX_EXTENSION = 20;

/** The end of a number with its extension. */
function withExtension(text: string, end: number): number {
  return end === -1 ? -1 : Math.max(end, endOf(extension, text, { at: end }));
}

const countDigits = (text: string): number => text.replaceAll(/\D/g, "").length;

/** True where a number can end: no digit, letter or further group stands behind. */
function isEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (isWord(next)) return withExtension(text, end) > end;
  return !(isSeparator(next) && isDigit(text.charCodeAt(end + 1)));
}

function matchNational(text: string, start: number): number {
  for (const form of forms) {
    const end = endOf(form, text, { at: start });
    if (end !== -1 && isEnd(text, end)) return end;
  }
  const end = endOf(trunk, text, { at: start });
  if (end === -1 || end - start > MAX_MATCH || !isEnd(text, end)) return -1;
  const count = countDigits(text.slice(start, end));
  return count >= 10 && count <= 12 ? end : -1;
}

/** Words that announce a number, up to it: `phone: `, `call me at `, `tel.`. */
const announced = new RegExp(
  "(?:^|[^\\p{L}])(?:(?:phone|tel|telephone|mobile|cell|cellphone|landline|fax|whatsapp|telefon|telefax|handy|mobil|" +
    "festnetz|rufnummer|telefonnummer|handynummer|téléphone|tél|portable|teléfono|tfno|móvil|celular|telefono|" +
    "cellulare|cell|(?:my|your|his|her|our|their) number|contact)(?: ?(?:number|no|nr|num|numéro|número))?|(?:call|text|ring|reach|phone|dial)(?: (?:me|us|him|her|them))?" +
    "(?: back)?|phone_number|phoneNumber)[\"'’.]?\\s?(?::|=|=>|is|at|on|ist|lautet|unter|est|au|le|es|al|è|il)?" +
    "(?: the)?\\s?[\"'(]?$",
  "iu",
);

/** Any number of a plausible length behind such a word, but no date. */
function matchAnnounced(text: string, start: number): number {
  const number = readDigits(text, start);
  if (number.digits.length < 7) return -1;
  const end = endWithin(text, number, { min: 7, max: MAX_DIGITS });
  if (end === -1 || /^(?:\d{4}-\d{2}-\d{2}|\d{2}[./]\d{2}[./]\d{4})/.test(text.slice(start, end))) return -1;
  return announced.test(text.slice(Math.max(start - LOOK_BEHIND, 0), start)) ? end : -1;
}

/** True where the characters before belong to the same number or name. */
function isContinued(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || before === PLUS) return true;
  if (!isSeparator(before)) return before === 44 && isDigit(text.charCodeAt(start - 2));
  const second = text.charCodeAt(start - 2);
  return isDigit(second) || before !== OPEN && !isSpace(before) && isWord(second);
}

function matchNumber(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === PLUS) {
    const before = text.charCodeAt(start - 1);
    return isWord(before) || before === PLUS ? -1 : matchInternational(text, start, { prefix: 1 });
  }
  if (isContinued(text, start)) return -1;
  if (text.startsWith("00", start) && /[1-9]\d{0,2}[ .\/-]/y.test(text.slice(start + 2, start + 6))) {
    const end = matchInternational(text, start, { prefix: 2 });
    if (end !== -1) return end;
  }
  const end = matchNational(text, start);
  return end === -1 ? matchAnnounced(text, start) : end;
}

const matchAt = (text: string, start: number): number => withExtension(text, matchNumber(text, start));

const starts = startTable(`${DIGITS}+(`);

const signed = {
  sign: /\d(?:[^\da-zA-Z\n]{0,3}\d){5}/g,
  reach: 64,
  find: (text: string, from: number) => scanStarts(text, from, { starts, matchAt }),
};

export const phone: BuiltinFilter = {
  slug: "phone",
  placeholder: "[PHONE]",
  entityType: "PHONE_NUMBER",
  maxMatch: MAX_MATCH + 2 + MAX_EXTENSION,
  lookAhead: MAX_EXTENSION,
  lookBehind: LOOK_BEHIND,
  spansSpace: true,
  find: (text, from) => findBySign(text, from, signed),
};
