/** Texts that try to take over a model: orders against its instructions, other roles, and marks of a chat's format. */

import type { TextMatch } from "../../text_filter.ts";
import type { BuiltinFilter } from "../builtin_filter.ts";
import { endOf, isAsciiLetter, isWord } from "../characters.ts";
import { injectionForms } from "./injection_forms.ts";
import { jailbreakForms } from "./jailbreak_forms.ts";

const MAX_MATCH = 160;

interface Family {
  readonly trigger: string;
  readonly rest: RegExp;
}

const families: readonly Family[] = [...injectionForms, ...jailbreakForms].map(({ trigger, rest }) => ({
  trigger,
  rest: new RegExp(`(?:${trigger})(?:${rest})`, "iuy"),
}));

/** Three characters that begin with a letter. */
const STARTS = 32 ** 3;

/**
 * Three characters as one number, whatever their case, which others may share; a first one that is no Latin letter
 * counts alone.
 */
function startOf(text: string, position: number): number {
  const first = text.charCodeAt(position);
  if (!isAsciiLetter(first)) return STARTS + first;
  const others = (text.charCodeAt(position + 1) & 31) * 32 + (text.charCodeAt(position + 2) & 31);
  return (first & 31) * 1_024 + others;
}

/** The families by how their words begin. */
const byStart = new Map<number, Family[]>();
for (const family of families) {
  for (const alternative of family.trigger.split("|")) {
    const literal = alternative.replaceAll(/[\\)]|\(\?:/g, "");
    for (const text of new Set([literal.toLowerCase(), literal.toUpperCase()])) {
      const start = startOf(text, 0);
      const list = byStart.get(start) ?? [];
      if (!list.includes(family)) byStart.set(start, [...list, family]);
    }
  }
}
/** Table of the characters with which a word or a mark of a form begins. */
const isStart = new Uint8Array(STARTS + 128);
for (const start of byStart.keys()) if (start < isStart.length) isStart[start] = 1;

/** The end of the longest of what begins at a position; -1 where nothing does. */
function matchAt(text: string, start: number): number {
  const key = startOf(text, start);
  if (key < isStart.length && isStart[key] === 0) return -1;
  let longest = -1;
  for (const { rest } of byStart.get(key) ?? []) {
    longest = Math.max(longest, endOf(rest, text, { at: start }));
  }
  return longest - start > MAX_MATCH ? -1 : longest;
}

/** Scripts without spaces have no starts of words. */
const FIRST_WITHOUT_SPACES = 0x2e80;

function find(text: string, from: number): TextMatch | undefined {
  let isBehindWord = from > 0 && isWord(text.charCodeAt(from - 1));
  for (let start = Math.max(from, 0); start < text.length; start++) {
    const code = text.charCodeAt(start);
    const isInside = isBehindWord && code < FIRST_WITHOUT_SPACES;
    isBehindWord = isWord(code);
    if (isInside && isBehindWord) continue;
    const end = matchAt(text, start);
    if (end !== -1) return { start, end };
  }
  return undefined;
}

export const promptInjection: BuiltinFilter = {
  slug: "regex-prompt-injection",
  placeholder: "[PROMPT_INJECTION]",
  entityType: "PROMPT_INJECTION",
  maxMatch: MAX_MATCH,
  lookAhead: 1,
  lookBehind: 1,
  spansSpace: true,
  find,
};
