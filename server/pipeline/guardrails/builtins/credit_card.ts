/** Numbers of payment cards: an issuer's range, the length that it uses, and the check digit. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import { findBySign, isDigit, isHyphen, isSpace, isWord, scanStarts, startTable } from "./characters.ts";

interface Issuer {
  /** First six digits, from and to. */
  readonly from: number;
  readonly to: number;
  readonly lengths: readonly number[];
}

export const [MIN_DIGITS, MAX_DIGITS] = [12, 19];
const LONG = [16, 17, 18, 19];

const issuers: readonly Issuer[] = [
  // Visa
  { from: 400_000, to: 499_999, lengths: [13, 16, 19] },
  // Mastercard
  { from: 510_000, to: 559_999, lengths: [16] },
  { from: 222_100, to: 272_099, lengths: [16] },
  // American Express
  { from: 340_000, to: 349_999, lengths: [15] },
  { from: 370_000, to: 379_999, lengths: [15] },
  // Discover
  { from: 601_100, to: 601_199, lengths: LONG },
  { from: 644_000, to: 659_999, lengths: LONG },
  // Diners Club
  { from: 300_000, to: 305_999, lengths: [14, ...LONG] },
  { from: 309_500, to: 309_599, lengths: [14, ...LONG] },
  { from: 360_000, to: 369_999, lengths: [14, 15, ...LONG] },
  { from: 380_000, to: 399_999, lengths: [14, ...LONG] },
  // JCB
  { from: 352_800, to: 358_999, lengths: LONG },
  // UnionPay, with the numbers that Discover shares
  { from: 620_000, to: 629_999, lengths: LONG },
  { from: 810_000, to: 817_199, lengths: LONG },
  // JCB before, with fifteen digits
  { from: 180_000, to: 180_099, lengths: [15] },
  { from: 213_100, to: 213_199, lengths: [15] },
  // Dankort
  { from: 501_900, to: 501_999, lengths: [16] },
  // Troy
  { from: 979_200, to: 979_289, lengths: [16] },
  // Mir
  { from: 220_000, to: 220_499, lengths: LONG },
  // Maestro
  ...[5018, 5020, 5038, 5893, 6304, 6390, 6759, 6761, 6762, 6763].map((first) => ({
    from: first * 100,
    to: first * 100 + 99,
    lengths: [13, 14, 15, ...LONG],
  })),
];

/** The digits of the candidate that is being read, and where each ends. Nothing is kept between calls. */
const digits = new Uint8Array(MAX_DIGITS);
const ends = new Array<number>(MAX_DIGITS).fill(0);

interface Candidate {
  readonly count: number;
  /** So many digits stand in groups as cards have them: one separator, three digits or more but in the last group. */
  readonly regular: number;
}

const isSeparator = (code: number): boolean => isSpace(code) || isHyphen(code);

/** Reads up to 19 digits with single separators between them. */
function readDigits(text: string, start: number): Candidate {
  let [count, regular, group, separator, position] = [0, MAX_DIGITS, 0, 0, start];
  while (count < MAX_DIGITS) {
    digits[count] = text.charCodeAt(position) - 48;
    ends[count++] = ++position;
    group++;
    const next = text.charCodeAt(position);
    if (isDigit(next)) continue;
    if (!isSeparator(next) || !isDigit(text.charCodeAt(position + 1))) break;
    if (group < 3 || separator !== 0 && separator !== next) regular = Math.min(regular, count);
    [group, separator] = [0, next];
    position++;
  }
  return { count, regular };
}

function passesLuhn(count: number): boolean {
  let sum = 0;
  for (let position = 0; position < count; position++) {
    const digit = digits[position] ?? 0;
    const doubled = (count - position) % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isIssued(count: number): boolean {
  const first = digits.subarray(0, 6).reduce((value, digit) => value * 10 + digit, 0);
  return issuers.some(({ from, to, lengths }) => first >= from && first <= to && lengths.includes(count));
}

const [DOT, PLUS] = [46, 43];
/** A word or the name of a field that says so: then the issuer may be any. */
const announced =
  /(?:^|[^\p{L}])(?:(?:credit|debit|bank|payment)?[ _-]?card|kreditkarte|carte|tarjeta|carta di credito|cartão)(?:[ _-]?(?:number|no|num|nr|nummer))?["']?(?: is| ist| est| es| è)?[:=\s]{0,3}["']?$/iu;
/** As some programs write large numbers: `4.111111111111111e+15`. */
const scientific = /([1-9])\.(\d{10,18})[eE]\+?(1[1-8])(?![\w.])/y;
const LOOK_BEHIND = 40;

/** An account number before its end: `DE89 3704 0044 `. */
const account = /(?:^|[^A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){0,7} $/;

/** Whether digits before or behind may belong to the same number. */
function isAlone(text: string, start: number, { end }: { readonly end: number }): boolean {
  return !(isSeparator(text.charCodeAt(start - 1)) && isDigit(text.charCodeAt(start - 2))) &&
    !(isSeparator(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)));
}

function isEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  return !isWord(next) && !(next === DOT && isDigit(text.charCodeAt(end + 1)));
}

function isAccount(text: string, start: number): boolean {
  return isSpace(text.charCodeAt(start - 1)) &&
    account.test(text.slice(Math.max(start - LOOK_BEHIND, 0), start));
}

const isAnnounced = (text: string, start: number): boolean =>
  announced.test(text.slice(Math.max(start - LOOK_BEHIND, 0), start));

/** A card in the form of a measured value. */
function matchScientific(text: string, start: number): number {
  scientific.lastIndex = start;
  const [all = "", first = "", rest = "", exponent = ""] = scientific.exec(text) ?? [];
  const count = Number(exponent) + 1;
  if (all === "" || rest.length >= count) return -1;
  for (let place = 0; place < count; place++) digits[place] = Number((first + rest).charAt(place));
  return isIssued(count) && passesLuhn(count) ? start + all.length : -1;
}

function matchAt(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || before === PLUS || before === DOT && isDigit(text.charCodeAt(start - 2))) return -1;
  if (text.charCodeAt(start + 1) === DOT) return matchScientific(text, start);
  const { count, regular } = readDigits(text, start);
  for (let length = count; length >= MIN_DIGITS; length--) {
    const end = ends[length - 1] ?? 0;
    if (!isEnd(text, end) || !passesLuhn(length)) continue;
    if (!isIssued(length) && !isAnnounced(text, start)) continue;
    if (length > regular && !isAlone(text, start, { end })) continue;
    if (!isAccount(text, start)) return end;
  }
  return -1;
}

const starts = startTable("123456789");

const signed = {
  sign: /\d(?:[-\u2010\u2011 \u00a0\u202f]?\d){11}/g,
  reach: 64,
  find: (text: string, from: number) => scanStarts(text, from, { starts, matchAt }),
};

export const creditCard: BuiltinFilter = {
  slug: "credit-card",
  placeholder: "[CREDIT_CARD]",
  entityType: "CREDIT_CARD",
  maxMatch: 2 * MAX_DIGITS - 1,
  lookAhead: 2,
  lookBehind: LOOK_BEHIND,
  spansSpace: true,
  find: (text, from) => findBySign(text, from, signed),
};
