/** Credentials: keys in the forms of known issuers, private keys, and what stands behind a name such as `password`. */

import type { TextMatch } from "../text_filter.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { endOf, isSpace, isWord, scanStarts } from "./characters.ts";
import { announcedAs, CARRIER_REACH, isQuote } from "./secret_carriers.ts";
import { isPlaceholder, isSecretValue } from "./secret_values.ts";
import { formsByStart } from "./secret_forms.ts";

const MAX_MATCH = 4_096;
const MAX_VALUE = 256;
const LOOK_BEHIND = CARRIER_REACH;
const [SPACE, HYPHEN, COLON] = [32, 45, 58];

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
  return head + lengthWithoutEnd(body);
}

/** Length without the blanks and line ends, of both kinds, that stand last. */
function lengthWithoutEnd(body: string): number {
  const kept = body.trimEnd();
  return /\\[nr]$/.test(kept.slice(-2)) ? lengthWithoutEnd(kept.slice(0, -2)) : kept.length;
}

/** A secret of Microsoft Entra: its mark stands behind four characters. */
const azureSecret = /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/y;
const isAzureSecret = (text: string, start: number): boolean =>
  text.charCodeAt(start + 4) === 81 && text.charCodeAt(start + 5) === 126;

function matchForm(text: string, start: number): number {
  const seconds = formsByStart[text.charCodeAt(start)];
  for (const { prefix, rest } of seconds?.[text.charCodeAt(start + 1)] ?? []) {
    if (!text.startsWith(prefix, start)) continue;
    const end = endOf(rest, text, { at: start + prefix.length });
    if (end !== -1 && !isPlaceholder(text.slice(start + prefix.length, end))) return end;
  }
  return isAzureSecret(text, start) ? endOf(azureSecret, text, { at: start }) : -1;
}

const quoted = /[^\s"'`]{8,256}/y;
const plain = /[^\s"'`,;<>(){}[\]|]{8,256}/y;

function matchAnnounced(text: string, start: number): number {
  const kind = announcedAs(text, start);
  if (kind === undefined) return -1;
  const quote = text.charCodeAt(start - 1);
  const isQuoted = isQuote(quote);
  const end = endOf(isQuoted ? quoted : plain, text, { at: start });
  if (end === -1 || isQuoted && text.charCodeAt(end) !== quote && end - start < MAX_VALUE) return -1;
  const value = text.slice(start, end).replace(/[.:]$/, "");
  const isCalled = !isQuoted && /^(?:[([{]|<(?!\/))/.test(text.slice(end, end + 2));
  return !isCalled && isSecretValue(value, { kind, isQuoted }) ? start + value.length : -1;
}

/** The user before a password: of an address, or behind an option of curl. */
const address = /\/\/[^\s:@/]{0,60}:$/;
const curlUser = /\s(?:-u|--user)[ =]?["']?[^\s:"']{0,60}:$/;
const curlPassword = /[^\s"']{4,128}/y;
const inAddress = /[^\s@/:"'`<>{}$*]{3,128}@(?=[\w[])/y;

/** The password of a URL, `scheme://user:password@host`, and of `curl -u user:password`. */
function matchLogin(text: string, start: number): number {
  const before = text.slice(Math.max(start - LOOK_BEHIND, 0), start);
  if (curlUser.test(before)) {
    const end = endOf(curlPassword, text, { at: start });
    const isSecret = isSecretValue(text.slice(start, end), { kind: "password", isQuoted: true });
    return isSecret ? end : -1;
  }
  if (!address.test(before)) return -1;
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
  return login === -1 ? matchAnnounced(text, start) : login;
}

/** Everything but white space and quotation marks can begin a value. */
const starts = new Uint8Array(256).fill(1);
for (const blank of "\t\n\v\f\r \u00a0\"'`") starts[blank.charCodeAt(0)] = 0;

/** A string of a program has `\n` before the mark of a private key. */
const findSecret = (text: string, from: number): TextMatch | undefined =>
  scanStarts(text, from, { starts, inside: HYPHEN, matchAt });

/** The least length of a key in the form of an issuer, and of a private key's first line. */
const KEY_CHARS = 16;
/** Words that stand before a value that a scheme announces, or are a part of the name that does. */
const announcing =
  /earer |asic |[Pp][Aa][Ss][Ss]|[Pp][Ww][Dd]|[Kk][Ee][Nn][Nn][Ww]|[Cc][Oo][Nn][Tt][Rr][Aa][Ss]/g;

/** False for most texts, which it says without a look at every character. */
function mayHoldSecret(text: string, from: number): boolean {
  const start = Math.max(from - LOOK_BEHIND, 0);
  if (text.includes("=", start) || text.includes(":", start)) return true;
  announcing.lastIndex = start;
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
  // Most texts have none, which is told faster from their beginning.
  const key = text.includes(KEY_MARK) ? text.lastIndexOf(KEY_MARK) : -1;
  if (key === -1 || endKey.test(text.slice(key))) return Math.max(position, 0);
  return Math.min(position, key);
}

export const secrets: BuiltinFilter = {
  slug: "secrets",
  placeholder: "[SECRET]",
  entityType: "SECRET",
  maxMatch: MAX_MATCH,
  lookAhead: 1,
  lookBehind: LOOK_BEHIND,
  spansSpace: true,
  undecidedFrom,
  find: (text, from) => mayHoldSecret(text, from) ? findSecret(text, from) : undefined,
};
