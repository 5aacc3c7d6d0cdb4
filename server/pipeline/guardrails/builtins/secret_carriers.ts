/**
 * Finds what stands before a secret and announces it: `token = `, `<apiKey>`, `"password", `, `--password `, `Bearer
 * `.
 */

import { isAsciiLetter, isSpace, startTable } from "./characters.ts";

/** How far back a name, its sign and what is between them can reach. */
export const CARRIER_REACH = 136;
/** Blanks between a name, its sign and a value: columns of a table, a line's indentation. */
const MAX_BLANKS = 24;
const MAX_SIGN = 4;
const MAX_OPTION = 40;
/** A name with the type of a variable or an attribute behind it. */
const MAX_NAME = 48;
const [TAB, SPACE, COMMA, HYPHEN, MORE] = [9, 32, 44, 45, 62];

export const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;
const isBlank = (code: number): boolean => isSpace(code) || code === TAB;

const password = "pass(?:word|wd|phrase|wort|code)?|pwd|kennwort|contraseña|mot de passe";
const key =
  "(?:api|access|auth|private|secret|account|encryption|signing|master|shared|service|storage|app|client|license)[_. -]?key|" +
  "apikey|credentials?|(?:api|access|secret|client)[_-]?(?:secret|token|hash)";
/** The group tells passwords from keys. */
const name = `(?:(${password})|secret|token|${key})`;
/** The type of a variable: `var token string =`, `let token: &str =`. */
const type = ":?[ \\t]{1,3}(?:&(?:'static )?)?(?:string|str|text|char ?\\*|nsstring ?\\*)";
/** Behind an attribute that names it: `<add key="token" value=`. */
const attribute = "[\"'] {1,3}value";
const named = new RegExp(`${name}(?:${type}|${attribute})?$`, "i");
/** `--password …` */
const option = new RegExp(`(?:^|\\s)--?[\\w-]{0,24}${name}$`, "i");
const sentence = new RegExp(
  `\\b(${password}) (?:is|ist|lautet|est|es|è):? ["'\`]?$|\\b(?:bearer|basic) $`,
  "i",
);

/** Two characters as one number, whatever their case, which others may share. */
const pairOf = (first: number, second: number): number => (first & 31) * 32 + (second & 31);
function pairTable(pairs: string): Uint8Array {
  const table = new Uint8Array(32 * 32);
  for (const pair of pairs.split(" ")) table[pairOf(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;
  return table;
}
/** The last two characters of a name, a type or an attribute. */
const nameEnds = pairTable("rd wd ss se rt de ña et en ey ls al sh ng tr xt r* g* ue");
const optionEnds = pairTable("rd wd ss se et en ey sh");

const beforeValue = startTable("=:> \t\n\u00a0\"'`");
/** Characters that can stand before the blank in front of a value that has no quotation mark. */
const beforeBlank = startTable("=:> \t\n\r\u00a0");
const linkEnds = startTable("rcstè");
const stringMarks = startTable("bfru");
const signs = startTable("=:>?.|+");
const signEnds = startTable("=:>");
const lineEnds = startTable("\r\n");
const closing = startTable("\"'`]");

/** Where blanks begin that end at a position. */
function skipBlanks(text: string, end: number): number {
  let position = end;
  while (end - position < MAX_BLANKS && isBlank(text.charCodeAt(position - 1))) position--;
  return position;
}

function skipAll(
  text: string,
  end: number,
  { table, most }: { readonly table: Uint8Array; readonly most: number },
) {
  let position = end;
  while (end - position < most && table[text.charCodeAt(position - 1)] === 1) position--;
  return position;
}

type Kind = "password" | "key";
const kindOf = (found: RegExpExecArray | null): Kind | undefined =>
  found === null ? undefined : found[1] === undefined ? "key" : "password";

const endsWithOne = (text: string, end: number, { of }: { readonly of: Uint8Array }): boolean =>
  of[pairOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1))] === 1;

function namedAs(text: string, end: number): Kind | undefined {
  return endsWithOne(text, end, { of: nameEnds })
    ? kindOf(named.exec(text.slice(Math.max(end - MAX_NAME, 0), end)))
    : undefined;
}

/** A name, the sign behind it, and blanks: `token = `, `"api_key": `, `<password>`. */
function assignedAs(text: string, end: number): Kind | undefined {
  const signStart = skipAll(text, end, { table: signs, most: MAX_SIGN });
  return namedAs(text, skipAll(text, skipBlanks(text, signStart), { table: closing, most: 2 }));
}

/** Between a value and an element's mark, or an argument's comma, there may be a line's end. */
function skipLine(text: string, end: number): number {
  const position = skipAll(text, end, { table: lineEnds, most: 2 });
  return position === end ? end : skipBlanks(text, position);
}

/** Behind a word: `password is `, `Bearer `, `--token `. */
function introducedAs(text: string, start: number, { end }: { readonly end: number }): Kind | undefined {
  const word = isBlank(text.charCodeAt(end - 1)) ? end - 1 : end;
  if (word === end) return undefined;
  if (endsWithOne(text, word, { of: optionEnds }) && isOption(text, word)) {
    return kindOf(option.exec(text.slice(Math.max(word - MAX_OPTION, 0), word)));
  }
  return saidAs(text, start, { word });
}

const isResource = (text: string, start: number): boolean =>
  /\barn:[^\s"']*$/.test(text.slice(Math.max(start - CARRIER_REACH, 0), start));

function saidAs(text: string, start: number, { word }: { readonly word: number }): Kind | undefined {
  if (linkEnds[text.charCodeAt(word - 1)] !== 1) return undefined;
  return kindOf(sentence.exec(text.slice(Math.max(start - MAX_OPTION, 0), start)));
}

/** Whether the word that ends at a position begins with a hyphen. */
function isOption(text: string, end: number): boolean {
  let position = end;
  while (end - position < MAX_OPTION && text.charCodeAt(position - 1) > SPACE) position--;
  return text.charCodeAt(position) === HYPHEN;
}

/** Finds the kind of what announces a value that begins at a position; undefined where nothing does. */
export function announcedAs(text: string, start: number): Kind | undefined {
  const before = text.charCodeAt(start - 1);
  if (beforeValue[before] !== 1) return undefined;
  const second = text.charCodeAt(start - 2);
  if (isBlank(before)) {
    if (isAsciiLetter(second) || second === 0xe8) return introducedAs(text, start, { end: start });
    if (beforeBlank[second] !== 1) return undefined;
  }
  const isQuoted = isQuote(before);
  const end = isQuoted ? start - (stringMarks[second] === 1 ? 2 : 1) : start;
  const blanks = skipBlanks(text, end);
  const sign = skipLine(text, blanks);
  const code = text.charCodeAt(sign - 1);
  if (code === COMMA && isQuoted) {
    const quote = skipBlanks(text, sign - 1);
    return isQuote(text.charCodeAt(quote - 1)) ? namedAs(text, quote - 1) : undefined;
  }
  if (signEnds[code] === 1 && (sign === blanks || code === MORE)) {
    const kind = assignedAs(text, sign) ?? saidAs(text, start, { word: sign - 1 });
    // The name of a resource has a part that says `secret`.
    return kind !== undefined && isResource(text, start) ? undefined : kind;
  }
  return introducedAs(text, start, { end });
}
