/** Addresses of the Internet protocol, in both versions. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import { endOf, findBySign, isDigit, isWord, scanStarts, startTable } from "./characters.ts";

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const dotted = new RegExp(
  `(?:${octet}\\.){3}${octet}(?![\\w]|\\.\\d|-\\d{0,3}[a-z]|\\.(?:tar|tgz|zip|dev|post|rc|jar|whl|exe|dll|so|deb|rpm|nupkg)\\b)`,
  "y",
);

const LOOK_BEHIND = 24;
const MAX_ADDRESS = 45;

/** Words that make four numbers something else than an address: a version, a chapter, a requirement of a package. */
const numbered =
  /(?:(?:\b|_|assembly|file|product|package|min|max)(?:version|versión|versione|ver|release|build|firmware|driver|section|chapter|clause|figure|table|rev|oid|(?:upgraded?|updated?|bump(?:ed)?) (?:\w{1,8} )?to|abschnitt|kapitel|ziffer|sección|capítulo|chapitre|sezione|capitolo)s?["']?[.:=(>]? {0,2}["']?v?|\brfc ?\d{3,4},? (?:section )?|:(?:all|any|amd64|arm64|i386) (?:<none> )?|§ ?|[=~^<>]=|~> ?|\^|\p{L}-|\d\.)$/iu;
/** A product before its version: `Browser/120.0.1.2`. */
const product = /(?:^|[^A-Za-z])[A-Z][A-Za-z]{1,16}\/$/;

function matchDotted(text: string, start: number): number {
  const end = endOf(dotted, text, { at: start });
  if (end === -1) return -1;
  const before = text.slice(Math.max(start - LOOK_BEHIND, 0), start);
  return numbered.test(before) || product.test(before) ? -1 : end;
}

const [COLON, DOT, OPEN, CLOSE] = [58, 46, 91, 93];

const isHex = (code: number): boolean => isDigit(code) || (code | 32) >= 97 && (code | 32) <= 102;

/** How many groups of an address a part is: hexadecimal groups, and two for an address in dots at the end. */
function countGroups(part: string): number {
  if (part === "") return 0;
  let count = 0;
  const groups = part.split(":");
  for (const [position, group] of groups.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(group)) count++;
    else if (
      position === groups.length - 1 && group.includes(".") &&
      endOf(dotted, group, { at: 0 }) === group.length
    ) {
      count += 2;
    } else return NaN;
  }
  return count;
}

function isCompressed(address: string): boolean {
  const [head = "", tail = "", more] = address.split("::");
  if (more !== undefined || head.includes(".")) return false;
  if (!(countGroups(head) + countGroups(tail) <= 7)) return false;
  // Slices and paths of names are written alike: `x[::2]`, `dead::beef`.
  const hex = address.replaceAll(/[:.]/g, "");
  return address === "::1" || hex.length > 3 && /\d/.test(hex);
}

/** True for the eight pairs of a hardware address. */
const isHardware = (address: string): boolean => /^(?:[0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}$/.test(address);

function isVersion6(address: string): boolean {
  if (address.includes("::")) return isCompressed(address);
  return countGroups(address) === 8 && !isHardware(address);
}

/** True where a bracket belongs to a slice: `x[::1]`. */
function isSlice(text: string, start: number, { end }: { readonly end: number }): boolean {
  if (text.charCodeAt(start - 1) !== OPEN) return text.charCodeAt(end) === CLOSE;
  const before = text.charCodeAt(start - 2);
  return isWord(before) || before === CLOSE || before === 41;
}

function matchColons(text: string, start: number): number {
  let end = start;
  while (end - start <= MAX_ADDRESS && isAddressCharacter(text.charCodeAt(end))) end++;
  if (end - start > MAX_ADDRESS) return -1;
  if (text.charCodeAt(end - 1) === DOT) end--;
  // A colon at the end belongs to the sentence, two to the address.
  if (text.charCodeAt(end - 1) === COLON && text.charCodeAt(end - 2) !== COLON) end--;
  // The path behind a home folder's fields: `500:500::/home`.
  const isPath = text.charCodeAt(end) === 47 && !isDigit(text.charCodeAt(end + 1));
  if (isPath && text.charCodeAt(end - 1) === COLON) return -1;
  if (end - start < 3 || isWord(text.charCodeAt(end)) || isSlice(text, start, { end })) return -1;
  return isVersion6(text.slice(start, end)) ? end : -1;
}

const isAddressCharacter = (code: number): boolean => isHex(code) || code === COLON || code === DOT;

/** True where the first group of an address can stand: up to four digits and a colon. */
function hasFirstGroup(text: string, start: number): boolean {
  let position = start;
  while (position - start < 5 && isHex(text.charCodeAt(position))) position++;
  return position - start < 5 && text.charCodeAt(position) === COLON;
}

/** True where a group of an address and its colon end, unlike a name and its colon. */
function isBehindGroup(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== COLON) return false;
  let position = start - 2;
  while (start - position < 7 && isHex(text.charCodeAt(position))) position--;
  return !isWord(text.charCodeAt(position));
}

function matchAt(text: string, start: number): number {
  const [before, first] = [text.charCodeAt(start - 1), text.charCodeAt(start)];
  if (isWord(before) || before === COLON && first === COLON) return -1;
  if (hasFirstGroup(text, start)) return isBehindGroup(text, start) ? -1 : matchColons(text, start);
  return isDigit(first) ? matchDotted(text, start) : -1;
}

const starts = startTable("0123456789abcdefABCDEF:");

const signed = {
  sign: /\d\.\d{1,3}\.\d|:[\da-fA-F]{0,4}:/g,
  reach: 56,
  find: (text: string, from: number) => scanStarts(text, from, { starts, matchAt }),
};

export const ipAddress: BuiltinFilter = {
  slug: "ip-address",
  placeholder: "[IP_ADDRESS]",
  entityType: "IP_ADDRESS",
  maxMatch: MAX_ADDRESS,
  lookAhead: 7,
  lookBehind: LOOK_BEHIND,
  spansSpace: false,
  find: (text, from) => findBySign(text, from, signed),
};
