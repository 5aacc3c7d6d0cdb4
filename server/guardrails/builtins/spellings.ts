/**
 * Other ways to write the characters that filters look for: full-width letters, digits of other scripts, spaces and
 * hyphens of typesetters, characters without a width, `%40` and `&#64;`. Filters read the plain form; what they find is
 * told by its place in the text as it was written.
 */

interface Shift {
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
const escapes = `%[2-7][\\dA-Fa-f]|&#(?:\\d{2,3}|[xX][2-7][\\dA-Fa-f]);|${[...names.keys()].join("|")}`;

const strange = new RegExp(`[${unseen}]+|[${spaces}${hyphens}${digits}${fullWidth}]|${escapes}`, "g");
/** The beginning of an escape, at the end of what has come. */
const begun = /(?:%[2-7]?|&(?:#(?:\d{0,3}|[xX](?:[2-7][\dA-Fa-f]?)?)|[a-z]{0,6})?)$/;
const LONGEST_BEGUN = 8;
const [PERCENT, AMPERSAND, FIRST_UNSEEN] = [37, 38, 0xad];

const [FIRST_PRINTED, LAST_PRINTED] = [32, 126];
const FULL_WIDTH = 0xfee0;
const isIn = (characters: string): (text: string) => boolean => {
  const one = new RegExp(`^[${characters}]`);
  return (text) => one.test(text);
};
const isUnseen = isIn(unseen);
const isSpace = isIn(spaces);
const isHyphen = isIn(hyphens);

/** The character that an escape stands for; itself where that is none that is printed. */
function unescape(escape: string): string {
  const named = names.get(escape);
  if (named !== undefined) return named;
  const body = escape.replace(/^(?:%|&#)|;$/g, "");
  const code = escape.startsWith("%")
    ? parseInt(body, 16)
    : /^x/i.test(body)
    ? parseInt(body.slice(1), 16)
    : Number(body);
  return code >= FIRST_PRINTED && code <= LAST_PRINTED ? String.fromCharCode(code) : escape;
}

function plainOf(spelled: string): string {
  const code = spelled.charCodeAt(0);
  if (code < 128) return unescape(spelled);
  if (isUnseen(spelled)) return spelled.length > MOST_UNSEEN ? spelled : "";
  if (isSpace(spelled)) return " ";
  if (isHyphen(spelled)) return "-";
  if (code > FULL_WIDTH) return String.fromCharCode(code - FULL_WIDTH);
  const zero = zeros.find((first) => code >= first && code <= first + 9) ?? code;
  return `${code - zero}`;
}

const withoutTabs = (text: string): string => text.includes("\t") ? text.replaceAll("\t", " ") : text;

/** Where an escape or a run of unseen characters begins that may go on. */
function settledOf(raw: string): number {
  let end = raw.length;
  while (raw.charCodeAt(end - 1) >= FIRST_UNSEEN && isUnseen(raw.charAt(end - 1))) end--;
  if (end < raw.length) return end;
  for (let start = end - 1; start >= 0 && end - start <= LONGEST_BEGUN; start--) {
    const code = raw.charCodeAt(start);
    if (code === PERCENT || code === AMPERSAND) return begun.test(raw.slice(start)) ? start : end;
  }
  return end;
}

const nothing: Spelled = { raw: "", plain: "", shifts: [], isPlain: true, settled: 0 };
/** The text that was read last: many filters read one after the other, and a stream's text grows. */
let last = nothing;

/** A text in plain characters. */
export function spell(raw: string): Spelled {
  if (raw === last.raw) return last;
  const known = last.raw !== "" && raw.slice(0, last.raw.length) === last.raw ? last : nothing;
  last = goOn(raw, known);
  return last;
}

function goOn(raw: string, known: Spelled): Spelled {
  const settled = settledOf(raw);
  if (known.isPlain && isPlain(raw, known.settled)) {
    return { raw, plain: raw, shifts: known.shifts, isPlain: true, settled };
  }
  const kept = toPlain(known, known.settled);
  const shifts = known.shifts.slice(0, countWhile(known.shifts, ({ rawEnd }) => rawEnd <= known.settled));
  let plain = known.plain.slice(0, kept);
  let position = known.settled;
  strange.lastIndex = position;
  for (let found = strange.exec(raw); found !== null; found = strange.exec(raw)) {
    const [spelled] = found;
    const written = plainOf(spelled);
    plain += withoutTabs(raw.slice(position, found.index)) + written;
    position = found.index + spelled.length;
    if (written.length === spelled.length) continue;
    shifts.push({ at: plain.length - written.length, next: plain.length, rawEnd: position });
  }
  plain += withoutTabs(raw.slice(position));
  return { raw, plain, shifts, isPlain: false, settled };
}

function isPlain(raw: string, from: number): boolean {
  strange.lastIndex = from;
  return !strange.test(raw) && !raw.includes("\t", from);
}

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
export function toRawStart({ shifts }: Spelled, position: number): number {
  if (shifts.length === 0) return position;
  const shift = shifts[countWhile(shifts, ({ next }) => next <= position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}

/** Where the character before a place in the plain form ends in the text. */
export function toRawEnd({ shifts }: Spelled, position: number): number {
  const shift = shifts[countWhile(shifts, ({ at }) => at < position) - 1];
  return shift === undefined ? position : shift.rawEnd + position - shift.next;
}
