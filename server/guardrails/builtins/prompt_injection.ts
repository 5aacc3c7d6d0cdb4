/** Texts that try to take over a model: orders against its instructions, other roles, and marks of a chat's format. */

import type { TextMatch } from "../text_filter.ts";
import type { BuiltinFilter } from "./builtin_filter.ts";
import { isWord } from "./characters.ts";
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

/** The words with which an attempt can begin. */
const triggers = new RegExp(families.map(({ trigger }) => trigger).join("|"), "ig");

function matchAt(text: string, start: number): number {
  let longest = -1;
  for (const { rest } of families) {
    rest.lastIndex = start;
    if (rest.test(text)) longest = Math.max(longest, rest.lastIndex);
  }
  return longest - start > MAX_MATCH ? -1 : longest;
}

function find(text: string, from: number): TextMatch | undefined {
  triggers.lastIndex = Math.max(from, 0);
  for (let found = triggers.exec(text); found !== null; found = triggers.exec(text)) {
    const start = found.index;
    triggers.lastIndex = start + 1;
    const isInside = isWord(text.charCodeAt(start)) && text.charCodeAt(start) < 0x2e80 &&
      isWord(text.charCodeAt(start - 1));
    const end = isInside ? -1 : matchAt(text, start);
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
