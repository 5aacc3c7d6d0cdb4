/**
 * Other ways to write the characters that filters look for: full-width and mathematical letters, digits of other
 * scripts, spaces and hyphens of typesetters, characters without a width, `%40`, `&#64;` and the escapes of JSON.
 * Filters read the plain form; what they find is told by its place in the text as it was written.
 */

import { countCodePoints } from "../../../shared/validation/validate.ts";
import { jsonEscape, MAX_BACKSLASHES, unescapeJson } from "./builtins/json_escapes.ts";
import { begunSign, signEscape, unmark } from "./sign_escapes.ts";
import {
  characterSource,
  compatibleCharacters,
  digitCharacters,
  hyphenCharacters,
  markCharacters,
  spaceCharacters,
  unseenCharacters,
} from "./strange_characters.ts";

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
  /** Position behind which the text may become something else with the next characters. */
  readonly settled: number;
  /** The plain form of what is before that position. */
  readonly settledPlain: string;
}

/** So many characters without a width in a row are passed over. More are text. */
const MOST_UNSEEN = 8;

/** The beginning of an escape, or one that may go on, at the end of what has come. */
const begun = new RegExp(`(?:${begunSign}|\\\\(?:u[\\dA-Fa-f]{0,3})?)$`);
const LONGEST_BEGUN = 24;

const seen = characterSource(spaceCharacters, hyphenCharacters, digitCharacters, compatibleCharacters);
const unseen = `(?:${characterSource(unseenCharacters)})`;
const mark = `(?:${characterSource(markCharacters)})`;
/** Three of them together are no footnote. */
const marks = `${mark}(?:(?=${mark}{2})|(?<=${mark}{2})(?=${mark})|(?<=${mark}{3}))`;
const foreign = `${unseen}+|${seen}|${signEscape}|${marks}`;
const unseenEnd = new RegExp(`${unseen}$`);
const marksEnd = new RegExp(`${mark}{1,3}$`);
const isUnseen = isIn(unseen);
const isForeign = isIn(`${unseen}|${seen}`);
const isSpace = isIn(characterSource(spaceCharacters));
const isHyphen = isIn(characterSource(hyphenCharacters));
const isDigit = isIn(characterSource(digitCharacters));
const [TAB, PERCENT, AMPERSAND, BACKSLASH, FIRST_STRANGE] = [9, 37, 38, 92, 0xa0];

function isIn(source: string): (text: string) => boolean {
  const one = new RegExp(`^(?:${source})`);
  return (text) => one.test(text);
}

/** Every other script has its digits together, from the zero on. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (isDigit(String.fromCodePoint(code - value - 1))) value++;
  return `${value % 10}`;
}

/** There are a few thousand of them. */
const plainCharacters = new Map<string, string>();

function plainOf(spelled: string): string {
  const code = spelled.charCodeAt(0);
  if (code === BACKSLASH) return plainEscape(unescapeJson(spelled));
  if (code < 128) return unmark(spelled);
  const known = plainCharacters.get(spelled);
  if (known !== undefined) return known;
  if (isUnseen(spelled)) return countCodePoints(spelled) > MOST_UNSEEN ? spelled : "";
  const plain = plainCharacter(spelled);
  plainCharacters.set(spelled, plain);
  return plain;
}

/** An escape may stand for a character that is spelled in another way itself. */
const plainEscape = (character: string): string =>
  character.charCodeAt(0) === TAB ? " " : isForeign(character) ? plainOf(character) : character;

function plainCharacter(spelled: string): string {
  if (isSpace(spelled)) return " ";
  if (isHyphen(spelled)) return "-";
  return isDigit(spelled) ? digitValue(spelled) : spelled.normalize("NFKC");
}

const withoutTabs = (text: string): string => text.includes("\t") ? text.replaceAll("\t", " ") : text;

/** A set of spellings that are not plain, and how each becomes plain. */
interface Spelling {
  readonly strange: RegExp;
  readonly plainOf: (spelled: string) => string;
  /** Whether a tab is a space. */
  readonly readsTabs: boolean;
}

const everySpelling: Spelling = {
  strange: new RegExp(`${foreign}|${jsonEscape}`, "g"),
  plainOf,
  readsTabs: true,
};

const withoutEscapes: Spelling = { strange: new RegExp(foreign, "g"), plainOf, readsTabs: true };

const escapesOnly: Spelling = {
  strange: new RegExp(jsonEscape, "g"),
  plainOf: unescapeJson,
  readsTabs: false,
};

/** Where an escape, a run of unseen characters or one of marks begins that may go on. */
function settledOf(raw: string): number {
  // Half of a character has come.
  const end = raw.endsWith("\ufffd") ? raw.length - 1 : raw.length;
  if (raw.charCodeAt(end - 1) >= FIRST_STRANGE) return settledBefore(raw, end);
  if (end < raw.length) return end;
  for (let start = end - 1; start >= 0 && end - start <= LONGEST_BEGUN; start--) {
    const code = raw.charCodeAt(start);
    if (code !== PERCENT && code !== AMPERSAND && code !== BACKSLASH) continue;
    return begun.test(raw.slice(start)) ? firstBackslash(raw, start) : end;
  }
  return end;
}

function settledBefore(raw: string, end: number): number {
  let start = end;
  for (let found = lastUnseen(raw, start); found > 0; found = lastUnseen(raw, start)) start -= found;
  if (start < end) return start;
  const [trailing = ""] = marksEnd.exec(raw.slice(Math.max(end - 6, 0), end)) ?? [];
  return countCodePoints(trailing) < 3 ? end - trailing.length : end;
}

/** Code units of the character before a place, where it is an unseen one. */
const lastUnseen = (raw: string, end: number): number =>
  raw.charCodeAt(end - 1) < FIRST_STRANGE
    ? 0
    : unseenEnd.exec(raw.slice(Math.max(end - 2, 0), end))?.[0].length ?? 0;

/** Where the backslashes begin of which a place has the last one; the place itself where it has none. */
function firstBackslash(raw: string, last: number): number {
  if (raw.charCodeAt(last) !== BACKSLASH) return last;
  let first = last;
  while (last - first < MAX_BACKSLASHES - 1 && raw.charCodeAt(first - 1) === BACKSLASH) first--;
  return first;
}

const nothing: Spelled = { raw: "", plain: "", shifts: [], isPlain: true, settled: 0, settledPlain: "" };

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
      const settledPlain = raw.slice(0, settled);
      return { raw, plain: raw, shifts: known.shifts, isPlain: true, settled, settledPlain };
    }
    const written = (text: string) => readsTabs ? withoutTabs(text) : text;
    const shifts = known.shifts.slice(0, countWhile(known.shifts, ({ rawEnd }) => rawEnd <= known.settled));
    let plain = known.settledPlain;
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
    const settledPlain = plain.slice(0, toPlain({ shifts }, settled));
    return { raw, plain, shifts, isPlain: false, settled, settledPlain };
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
/** The same for a short text that is read once. */
export const spellOnce = (raw: string): Spelled => new Speller(everySpelling).spell(raw);

/** A text in plain characters, in which the escapes of JSON stand as they are. */
const signs = new Speller(withoutEscapes);
export const spellSigns = (raw: string): Spelled => signs.spell(raw);
export const spellSignsOnce = (raw: string): Spelled => new Speller(withoutEscapes).spell(raw);

/** A text without the escapes of JSON, and otherwise as it stands. */
const unescaped = new Speller(escapesOnly);
export const unescape = (raw: string): Spelled => unescaped.spell(raw);

/** How many of the shifts, which are in order, hold. */
function countWhile(shifts: readonly Shift[], holds: (shift: Shift) => boolean): number {
  const last = shifts.at(-1);
  // Mostly the end of a text is asked for.
  if (last === undefined || holds(last)) return shifts.length;
  let [low, high] = [0, shifts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const shift = shifts[middle];
    if (shift !== undefined && holds(shift)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place in the plain form of the first character that begins at a place in the text, or behind it. */
export function toPlain({ shifts }: Pick<Spelled, "shifts">, position: number): number {
  if (shifts.length === 0) return position;
  const before = countWhile(shifts, ({ rawEnd }) => rawEnd <= position);
  const [shift, following] = [shifts[before - 1], shifts[before]];
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
