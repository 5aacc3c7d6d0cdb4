/** Texts that try to take over a model: orders against its instructions, other roles, and marks of a chat's format. */

import type { TextMatch } from "../text_filter.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { endOf, isAsciiLetter, isWord } from "./characters.ts";
import { injectionForms } from "./injection_forms.ts";

const MAX_MATCH = 160;

interface Family {
  readonly trigger: string;
  readonly rest: RegExp;
}

const families: readonly Family[] = injectionForms.map(({ trigger, rest }) => ({
  trigger,
  rest: new RegExp(`(?:${trigger})(?:${rest})`, "iuy"),
}));

/** At a position: the words with which an attempt can begin. */
const trigger = new RegExp(families.map(({ trigger }) => trigger).join("|"), "iuy");

/** Two letters as one number, whatever their case. Other characters count alone. */
const pairOf = (first: number, second: number): number => isAsciiLetter(first) ? (first & 31) * 32 + (second & 31) : 0;

/** The first characters of all triggers, and the first two where those are Latin letters. */
const firsts = new Set<number>();
const pairs = new Uint8Array(1_024);
for (const alternative of families.flatMap(({ trigger }) => trigger.split("|"))) {
  const literal = alternative.replaceAll(/[\\)]|\(\?:/g, "");
  for (const text of [literal.toLowerCase(), literal.toUpperCase()]) firsts.add(text.charCodeAt(0));
  pairs[pairOf(literal.charCodeAt(0), literal.charCodeAt(1))] = 1;
}
const latin = new Uint8Array(256);
for (const code of firsts) if (code < 256) latin[code] = 1;

function matchAt(text: string, start: number): number {
  let longest = -1;
  for (const { rest } of families) longest = Math.max(longest, endOf(rest, text, { at: start }));
  return longest - start > MAX_MATCH ? -1 : longest;
}

function find(text: string, from: number): TextMatch | undefined {
  for (let start = Math.max(from, 0); start < text.length; start++) {
    const code = text.charCodeAt(start);
    if (code < 256 ? latin[code] === 0 : !firsts.has(code)) continue;
    if (isAsciiLetter(code) && pairs[pairOf(code, text.charCodeAt(start + 1))] === 0) continue;
    // Scripts without spaces have no starts of words.
    if (code < 0x2e80 && isWord(code) && isWord(text.charCodeAt(start - 1))) continue;
    if (endOf(trigger, text, { at: start }) === -1) continue;
    const end = matchAt(text, start);
    if (end !== -1) return { start, end };
  }
  return undefined;
}

export const promptInjection: BuiltinFilter = {
  slug: "regex-prompt-injection",
  placeholder: "[PROMPT_INJECTION]",
  entityType: "PROMPT_INJECTION",
  experimental: false,
  maxMatch: MAX_MATCH,
  lookAhead: 1,
  lookBehind: 1,
  spansSpace: true,
  find,
};
