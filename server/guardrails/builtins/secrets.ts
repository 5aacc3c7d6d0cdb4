/** Credentials: keys in the forms of known issuers, private keys, and what stands behind a name such as `password`. */

import type { TextMatch } from "../text_filter.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { endOf, isSpace, isWord, scanStarts, startTable } from "./characters.ts";
import { isSecretValue } from "./secret_values.ts";
import { formsByStart } from "./secret_forms.ts";

const MAX_MATCH = 4_096;
const MAX_VALUE = 256;
const LOOK_BEHIND = 72;
const [SPACE, HYPHEN, COLON, EQUALS, MORE] = [32, 45, 58, 61, 62];

const beginKey = /-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const endKey = /-----END (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** Base64 in lines, which a string of a program writes as `\n`. */
const keyBody = /(?:[A-Za-z0-9+/=]|\s|\\[nr]){0,3900}/y;

/** A private key up to its last line; where that is missing, its head and the base64 behind. */
function matchPrivateKey(text: string, start: number): number {
  const head = endOf(beginKey, text, { at: start });
  if (head === -1) return -1;
  const key = text.slice(head, start + MAX_MATCH);
  const last = endKey.exec(key);
  if (last !== null) return head + last.index + last[0].length;
  keyBody.lastIndex = 0;
  const body = keyBody.exec(key)?.[0] ?? "";
  return head + body.replace(/(?:\s|\\[nr])+$/, "").length;
}

function matchForm(text: string, start: number): number {
  const seconds = formsByStart[text.charCodeAt(start)];
  for (const { prefix, rest } of seconds?.[text.charCodeAt(start + 1)] ?? []) {
    if (!text.startsWith(prefix, start)) continue;
    const end = endOf(rest, text, { at: start + prefix.length });
    if (end !== -1) return end;
  }
  return -1;
}

const quotes = new Set([34, 39, 96]);

/** A name that announces a secret, and the sign behind it, up to the value. The groups tell passwords from keys. */
const password = "pass(?:word|wd|phrase|wort|code)?|pwd|kennwort|contraseña|mot de passe";
const announced = new RegExp(
  `(?:(${password})|secret|token|(?:api|access|auth|private|secret|account|encryption|signing|master|shared|service|` +
    "storage|app|client|license)[_. -]?key|apikey|credentials?|(?:api|access|secret|client)[_-]?(?:secret|token|hash))" +
    "[\"'`\\]]{0,2}\\s{0,3}(?:=>|:=|={1,3}|:)\\s{0,3}[bfru]?[\"'`]?$|" +
    `\\b(${password}) (?:is|ist|lautet|est|es|è):? ["'\`]?$|\\b(?:bearer|basic) $`,
  "i",
);

/** What can stand right before a value, or before the space in front of it: signs, quotation marks, `is`, `Bearer`. */
const beforeValue = startTable("=:> \u00a0\"'`");
const beforeSpace = startTable("=:> \u00a0rcstè");
const stringMarks = startTable("bfru");

/** The words of which one may stand before a value, without their first letters. */
const links = ["earer ", "asic ", " is ", " ist ", "utet ", " est ", " es ", " è "];

/** True where a sign of assignment or a word like it, spaces and a quotation mark may stand before a value. */
function isAssigned(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (beforeValue[before] !== 1) return false;
  if (isSpace(before) && beforeSpace[text.charCodeAt(start - 2)] !== 1) return false;
  let position = start - 1;
  if (quotes.has(before)) position -= stringMarks[text.charCodeAt(start - 2)] === 1 ? 2 : 1;
  const end = position + 1;
  for (let spaces = 0; spaces < 3 && isSpace(text.charCodeAt(position)); spaces++) position--;
  const code = text.charCodeAt(position);
  if (code === EQUALS || code === COLON || code === MORE) return true;
  return links.some((link) => text.startsWith(link, end - link.length));
}

const quoted = /[^\s"'`]{8,256}/y;
const plain = /[^\s"'`,;<>(){}[\]|]{8,256}/y;

function matchAssigned(text: string, start: number): number {
  if (!isAssigned(text, start)) return -1;
  const before = text.slice(Math.max(start - LOOK_BEHIND, 0), start);
  const name = announced.exec(before);
  // The name of a resource has a part that says `secret`.
  if (name === null || /\barn:[^\s"']*$/.test(before)) return -1;
  const quote = text.charCodeAt(start - 1);
  const isQuoted = quotes.has(quote);
  const end = endOf(isQuoted ? quoted : plain, text, { at: start });
  if (end === -1 || isQuoted && text.charCodeAt(end) !== quote && end - start < MAX_VALUE) return -1;
  const value = text.slice(start, end).replace(/[.:]$/, "");
  const isCalled = !isQuoted && /[([{<]/.test(text.charAt(end));
  const kind = name[1] === undefined && name[2] === undefined ? "key" : "password";
  return !isCalled && isSecretValue(value, { kind, isQuoted }) ? start + value.length : -1;
}

const address = /\/\/[^\s:@/]{0,60}:$/;
const inAddress = /[^\s@/:"'`<>{}$*]{3,128}@(?=[\w[])/y;

/** The password of a URL: `scheme://user:password@host`. */
function matchLogin(text: string, start: number): number {
  if (!address.test(text.slice(Math.max(start - LOOK_BEHIND, 0), start))) return -1;
  const end = endOf(inAddress, text, { at: start });
  return end === -1 || /^(?:pass(?:word)?|pwd|secret|x+|your.*)@$/i.test(text.slice(start, end))
    ? -1
    : end - 1;
}

/** True where white space follows so soon that no key and no value behind a name can stand there. */
const isShort = (text: string, start: number): boolean =>
  !(text.charCodeAt(start + 7) > SPACE && text.charCodeAt(start + 5) > SPACE &&
    text.charCodeAt(start + 3) > SPACE);

function matchAt(text: string, start: number): number {
  const [before, first] = [text.charCodeAt(start - 1), text.charCodeAt(start)];
  if (first === HYPHEN) return before === HYPHEN ? -1 : matchPrivateKey(text, start);
  if (before === HYPHEN || isWord(before)) return -1;
  if (isShort(text, start)) return before === COLON ? matchLogin(text, start) : -1;
  const end = matchForm(text, start);
  if (end !== -1) return end;
  const login = before === COLON ? matchLogin(text, start) : -1;
  return login === -1 ? matchAssigned(text, start) : login;
}

/** Everything but white space and quotation marks can begin a value. */
const starts = new Uint8Array(256).fill(1);
for (const blank of "\t\n\v\f\r \u00a0\"'`") starts[blank.charCodeAt(0)] = 0;

/** A string of a program has `\n` before the mark of a private key. */
const findSecret = (text: string, from: number): TextMatch | undefined =>
  scanStarts(text, from, { starts, inside: HYPHEN, matchAt });

/** The least length of a key in the form of an issuer, and of a private key's first line. */
const KEY_CHARS = 16;
/** What stands before a value that a name or a scheme announces, or is a part of the name. */
const announcing =
  /[=:]|earer |asic |[Pp][Aa][Ss][Ss]|[Pp][Ww][Dd]|[Kk][Ee][Nn][Nn][Ww]|[Cc][Oo][Nn][Tt][Rr][Aa][Ss]/g;

/** False for most texts, which it says without a look at every character. */
function mayHoldSecret(text: string, from: number): boolean {
  announcing.lastIndex = Math.max(from - LOOK_BEHIND, 0);
  return announcing.test(text) || hasLongWord(text, from);
}

/** Whether so many characters follow one another without a space. */
function hasLongWord(text: string, from: number): boolean {
  for (let start = Math.max(from, 0); start + KEY_CHARS <= text.length;) {
    let position = start + KEY_CHARS - 1;
    while (position >= start && text.charCodeAt(position) > SPACE) position--;
    if (position < start) return true;
    start = position + 1;
  }
  return false;
}

const KEY_MARK = "-----BEGIN";

/** Only private keys have white space in them: the others end at the next one. */
function undecidedFrom(text: string): number {
  let position = text.length - 1;
  while (position > 0 && !isSpace(text.charCodeAt(position - 1))) position--;
  const key = text.lastIndexOf(KEY_MARK);
  if (key === -1 || endKey.test(text.slice(key))) return Math.max(position, 0);
  return Math.min(position, key);
}

export const secrets: BuiltinFilter = {
  slug: "secrets",
  placeholder: "[SECRET]",
  entityType: "SECRET",
  experimental: false,
  maxMatch: MAX_MATCH,
  lookAhead: 1,
  lookBehind: LOOK_BEHIND,
  spansSpace: true,
  undecidedFrom,
  find: (text, from) => mayHoldSecret(text, from) ? findSecret(text, from) : undefined,
};
