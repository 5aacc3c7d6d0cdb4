/**
 * Other ways to write the characters that filters look for: full-width letters, digits of other scripts, spaces and
 * hyphens of typesetters, characters without a width, `%40`, `&#64;` and the escapes of JSON. Filters read the plain
 * form; what they find is told by its place in the text as it was written.
 */

import { jsonEscape, MAX_BACKSLASHES, unescapeJson } from "./json_escapes.ts";

/** A character that is written with more or fewer code units. */
export interface Shift {
  /** Where it stands in the plain form, as one character or none. */
  readonly at: number;
  readonly next: number;
  /** Behind it in the text. */
  readonly rawEnd: number;
}

export interface Spelled {
  readonly raw: string;
  /** The same with plain characters. */
  readonly plain: string;
  /** Where the lengths differ, in order. */
  readonly shifts: readonly Shift[];
  /** Nothing in it is spelled in another way: the plain form is the text itself. */
  readonly isPlain: boolean;
  /** What is behind it may become something else with the next characters. */
  readonly settled: number;
}

/** Characters without a width: a word joiner, a soft hyphen, marks of direction, selectors of variants. */
const unseen =
  "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff";
/** So many of them in a row are passed over. More are text. */
const MOST_UNSEEN = 8;
const spaces = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000";
/** No dash of a sentence. */
const hyphens = "\u2010-\u2013\u2212\ufe63";
/** The zeros of the scripts that have digits of their own below U+10000. */
const zeros = [..."٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"].map((zero) => zero.charCodeAt(0));
const digits = zeros.map((zero) => String.fromCharCode(zero, 45, zero + 9)).join("");
const fullWidth = "\uff01-\uff5e";

const names: ReadonlyMap<string, string> = new Map(Object.entries({
  "&commat;": "@",
  "&period;": ".",
  "&hyphen;": "-",
  "&ndash;": "-",
  "&colon;": ":",
  "&nbsp;": " ",
  "&plus;": "+",
  "&shy;": "",
}));
const marks = `%[2-7][\\dA-Fa-f]|&#(?:\\d{2,3}|[xX][2-7][\\dA-Fa-f]);|${[...names.keys()].join("|")}`;

const foreign = `[${unseen}]+|[${spaces}${hyphens}${digits}${fullWidth}]`;

/** The beginning of an escape, at the end of what has come. */
const begun = /(?:%[2-7]?|&(?:#(?:\d{0,3}|[xX](?:[2-7][\dA-Fa-f]?)?)|[a-z]{0,6})?|\\(?:u[\dA-Fa-f]{0,3})?)$/;
const LONGEST_BEGUN = 8;
const [TAB, PERCENT, AMPERSAND, BACKSLASH, FIRST_UNSEEN] = [9, 37, 38, 92, 0xad];

const [FIRST_PRINTED, LAST_PRINTED] = [32, 126];
const FULL_WIDTH = 0xfee0;
const isIn = (characters: string): (text: string) => boolean => {
  const one = new RegExp(`^[${characters}]`);
  return (text) => one.test(text);
};
const isUnseen = isIn(unseen);
const isSpace = isIn(spaces);
const isHyphen = isIn(hyphens);
const isForeign = isIn(unseen + spaces + hyphens + digits + fullWidth);

/** The character that `%40` or `&#64;` stands for; itself where that is none that is printed. */
function unmark(mark: string): string {
  const named = names.get(mark);
  if (named !== undefined) return named;
  const body = mark.replace(/^(?:%|&#)|;$/g, "");
  const code = mark.startsWith("%")
    ? parseInt(body, 16)
    : /^x/i.test(body)
    ? parseInt(body.slice(1), 16)
    : Number(body);
  return code >= FIRST_PRINTED && code <= LAST_PRINTED ? String.fromCharCode(code) : mark;
}

function plainOf(spelled: string): string {
  const code = spelled.charCodeAt(0);
  if (code === BACKSLASH) return plainEscape(unescapeJson(spelled));
  if (code < 128) return unmark(spelled);
  if (isUnseen(spelled)) return spelled.length > MOST_UNSEEN ? spelled : "";
  if (isSpace(spelled)) return " ";
  if (isHyphen(spelled)) return "-";
  if (code > FULL_WIDTH) return String.fromCharCode(code - FULL_WIDTH);
  const zero = zeros.find((first) => code >= first && code <= first + 9) ?? code;
  return `${code - zero}`;
}

/** An escape may stand for a character that is spelled in another way itself. */
const plainEscape = (character: string): string =>
  character.charCodeAt(0) === TAB ? " " : isForeign(character) ? plainOf(character) : character;

const withoutTabs = (text: string): string => text.includes("\t") ? text.replaceAll("\t", " ") : text;

/** What is written in other ways than the plain one. */
interface Spelling {
  readonly strange: RegExp;
  readonly plainOf: (spelled: string) => string;
  /** Whether a tab is a space. */
  readonly readsTabs: boolean;
}

const everySpelling: Spelling = {
  strange: new RegExp(`${foreign}|${marks}|${jsonEscape}`, "g"),
  plainOf,
  readsTabs: true,
};

const escapesOnly: Spelling = {
  strange: new RegExp(jsonEscape, "g"),
  plainOf: unescapeJson,
  readsTabs: false,
};

/** Where an escape or a run of unseen characters begins that may go on. */
function settledOf(raw: string): number {
  let end = raw.length;
  while (raw.charCodeAt(end - 1) >= FIRST_UNSEEN && isUnseen(raw.charAt(end - 1))) end--;
  if (end < raw.length) return end;
  for (let start = end - 1; start >= 0 && end - start <= LONGEST_BEGUN; start--) {
    const code = raw.charCodeAt(start);
    if (code !== PERCENT && code !== AMPERSAND && code !== BACKSLASH) continue;
    return begun.test(raw.slice(start)) ? firstBackslash(raw, start) : end;
  }
  return end;
}

/** Where the backslashes begin of which a place has the last one; the place itself where it has none. */
function firstBackslash(raw: string, last: number): number {
  if (raw.charCodeAt(last) !== BACKSLASH) return last;
  let first = last;
  while (last - first < MAX_BACKSLASHES - 1 && raw.charCodeAt(first - 1) === BACKSLASH) first--;
  return first;
}

const nothing: Spelled = { raw: "", plain: "", shifts: [], isPlain: true, settled: 0 };

/** Keeps the text that was read last: many filters read one after the other, and a stream's text grows. */
class Speller {
  readonly #spelling: Spelling;
  #last = nothing;

  constructor(spelling: Spelling) {
    this.#spelling = spelling;
  }

  spell(raw: string): Spelled {
    const last = this.#last;
    if (raw === last.raw) return last;
    const known = last.raw !== "" && raw.slice(0, last.raw.length) === last.raw ? last : nothing;
    this.#last = this.#goOn(raw, known);
    return this.#last;
  }

  #goOn(raw: string, known: Spelled): Spelled {
    const { strange, plainOf, readsTabs } = this.#spelling;
    const settled = settledOf(raw);
    if (known.isPlain && this.#isPlain(raw, known.settled)) {
      return { raw, plain: raw, shifts: known.shifts, isPlain: true, settled };
    }
    const written = (text: string) => readsTabs ? withoutTabs(text) : text;
    const shifts = known.shifts.slice(0, countWhile(known.shifts, ({ rawEnd }) => rawEnd <= known.settled));
    let plain = known.plain.slice(0, toPlain(known, known.settled));
    let position = known.settled;
    strange.lastIndex = position;
    for (let found = strange.exec(raw); found !== null; found = strange.exec(raw)) {
      const [spelled] = found;
      const character = plainOf(spelled);
      plain += written(raw.slice(position, found.index)) + character;
      position = found.index + spelled.length;
      if (character.length === spelled.length) continue;
      shifts.push({ at: plain.length - character.length, next: plain.length, rawEnd: position });
    }
    plain += written(raw.slice(position));
    return { raw, plain, shifts, isPlain: false, settled };
  }

  #isPlain(raw: string, from: number): boolean {
    const { strange, readsTabs } = this.#spelling;
    strange.lastIndex = from;
    return !strange.test(raw) && !(readsTabs && raw.includes("\t", from));
  }
}

/** A text in plain characters. */
const every = new Speller(everySpelling);
export const spell = (raw: string): Spelled => every.spell(raw);

/** A text without the escapes of JSON, and otherwise as it stands. */
const unescaped = new Speller(escapesOnly);
export const unescape = (raw: string): Spelled => unescaped.spell(raw);

/** How many of the shifts, which are in order, hold. */
function countWhile(shifts: readonly Shift[], holds: (shift: Shift) => boolean): number {
  let [low, high] = [0, shifts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const shift = shifts[middle];
    if (shift !== undefined && holds(shift)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place in the plain form of the first character that begins at a place in the text, or behind it. */
export function toPlain({ shifts }: Spelled, position: number): number {
  if (shifts.length === 0) return position;
  const shift = shifts[countWhile(shifts, ({ rawEnd }) => rawEnd <= position) - 1];
  const following = shifts[countWhile(shifts, ({ rawEnd }) => rawEnd <= position)];
  const plain = shift === undefined ? position : shift.next + position - shift.rawEnd;
  return following === undefined ? plain : Math.min(plain, following.next);
}

/** Where a character of the plain form begins in the text. */
export function toRawStart({ shifts }: Pick<Spelled, "shifts">, position: number): number {
  if (shifts.length === 0) return position;
  const shift = shifts[countWhile(shifts, ({ next }) => next <= position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}

/** Where the character before a place in the plain form ends in the text. */
export function toRawEnd({ shifts }: Spelled, position: number): number {
  const shift = shifts[countWhile(shifts, ({ at }) => at < position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}

/** Whether between two places of the plain form, or at one of them, something is written in another way. */
export function isShifted({ shifts }: Spelled, from: number, { to }: { readonly to: number }): boolean {
  const first = shifts[countWhile(shifts, ({ next }) => next < from)];
  return first !== undefined && first.at <= to;
}
