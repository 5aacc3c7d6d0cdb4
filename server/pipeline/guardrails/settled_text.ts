/** Where a text ends for now, of which more comes: before an escape or a run of characters that may go on. */

import { countCodePoints } from "../../../shared/validation/validate.ts";
import { MAX_BACKSLASHES } from "./builtins/json_escapes.ts";
import { mark, unseen } from "./plain_characters.ts";
import { begunSign } from "./sign_escapes.ts";

/** The beginning of an escape, or one that may go on, at the end of what has come. */
const begun = new RegExp(`(?:${begunSign}|\\\\(?:u[\\dA-Fa-f]{0,3})?)$`);
const LONGEST_BEGUN = 24;
const unseenEnd = new RegExp(`${unseen}$`);
const marksEnd = new RegExp(`${mark}{1,3}$`);
const [PERCENT, AMPERSAND, BACKSLASH, FIRST_STRANGE] = [37, 38, 92, 0xa0];

/** Where an escape, a run of unseen characters or one of marks begins that may go on. */
export function settledOf(raw: string): number {
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
