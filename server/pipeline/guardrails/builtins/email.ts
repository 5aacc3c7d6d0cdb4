/** Addresses of electronic mail. */

import type { TextMatch } from "../text_filter.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { isDigit, isLetter, isWord } from "./characters.ts";

const MAX_LOCAL = 64;
const MAX_LABEL = 63;
const MAX_ADDRESS = 254;
/** How far a URL's user and its slashes may stand before a password. */
const MAX_USER = 64;

const [DOT, HYPHEN, COLON, SLASH, OPEN] = [46, 45, 58, 47, 40];

/** Marks that a local part may have beside letters, digits and the underscore. Others are too often syntax. */
const localMarks = new Set([..."!#$%&'*+-.?^~"].map((mark) => mark.charCodeAt(0)));

const isLocal = (code: number): boolean => isWord(code) || localMarks.has(code);
const isLabel = (code: number): boolean => isLetter(code) || isDigit(code) || code === HYPHEN;

/** Endings of file and unit names, none of which is a top-level domain: `logo@2x.png`, `getty@tty1.service`. */
const fileEndings = new Set(
  "png jpg jpeg gif webp svg avif js mjs cjs jsx tsx css scss html json yaml yml toml txt service socket timer mount target"
    .split(" "),
);

/** The place of the leftmost local part that ends at an `@`, not before `from`; -1 where there is none. */
function localStart(text: string, at: number, { from }: { readonly from: number }): number {
  if (text.charCodeAt(at - 1) === DOT) return -1;
  let start = -1;
  const first = Math.max(at - MAX_LOCAL, from, 0);
  for (let position = at - 1; position >= first; position--) {
    const code = text.charCodeAt(position);
    if (!isLocal(code)) break;
    if (code === DOT && text.charCodeAt(position + 1) === DOT) break;
    if (isWord(code) && !isWord(text.charCodeAt(position - 1))) start = position;
  }
  return start;
}

/** True for a label that can be the last: letters, or an international name in ASCII. */
function isTopLevel(text: string, start: number, { end }: { readonly end: number }): boolean {
  if (end - start < 2) return false;
  const label = text.slice(start, end).toLowerCase();
  if (/^xn--[a-z0-9-]+$/.test(label)) return true;
  return /^[\p{L}\p{M}]+$/u.test(label) && !fileEndings.has(label);
}

/** True where an address can end: what follows does not belong to the name. */
function isDomainEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  return !isWord(next) && next !== OPEN && next !== HYPHEN ||
    next === HYPHEN && !isWord(text.charCodeAt(end + 1));
}

/** The end of the domain that begins at a position; -1 where it is none. */
function domainEnd(text: string, start: number, { limit }: { readonly limit: number }): number {
  let best = -1;
  for (let label = start, count = 0;; count++) {
    let end = label;
    while (end <= limit && end - label <= MAX_LABEL && isLabel(text.charCodeAt(end))) end++;
    while (end > label && text.charCodeAt(end - 1) === HYPHEN) end--;
    const isWrong = end === label || end > limit || end - label > MAX_LABEL ||
      text.charCodeAt(label) === HYPHEN;
    if (isWrong) return best;
    if (count > 0 && isDomainEnd(text, end) && isTopLevel(text, label, { end })) best = end;
    if (text.charCodeAt(end) !== DOT) return best;
    label = end + 1;
  }
}

/** True for the login of a URL or a repository (`https://user:password@host`, `git@host`), which is no mailbox. */
function isLogin(text: string, start: number, { at }: { readonly at: number }): boolean {
  if (at - start === 3 && text.startsWith("git", start)) return true;
  const before = text.charCodeAt(start - 1);
  if (before === SLASH) return text.charCodeAt(start - 2) === SLASH;
  if (before !== COLON) return false;
  return /\/\/[^\s/:@]{0,60}:$/.test(text.slice(Math.max(start - MAX_USER, 0), start));
}

function find(text: string, from: number): TextMatch | undefined {
  for (let at = text.indexOf("@", from + 1); at !== -1; at = text.indexOf("@", at + 1)) {
    const start = localStart(text, at, { from });
    if (start === -1) continue;
    const end = domainEnd(text, at + 1, { limit: start + MAX_ADDRESS });
    if (end !== -1 && !isLogin(text, start, { at })) return { start, end };
  }
  return undefined;
}

export const email: BuiltinFilter = {
  slug: "email",
  placeholder: "[EMAIL]",
  entityType: "EMAIL_ADDRESS",
  maxMatch: MAX_ADDRESS,
  lookAhead: 2,
  lookBehind: MAX_USER,
  spansSpace: false,
  find,
};
