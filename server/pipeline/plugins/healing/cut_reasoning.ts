/** Cuts the reasoning of a model that its provider has left in the text of the response. */

import type { Work } from "../../../../shared/util/run_work.ts";
import { Unhealed } from "./healing_reasons.ts";
import { isLineStart } from "./json_characters.ts";

const names = [
  "think",
  "thinking",
  "thought",
  "thoughts",
  "reasoning",
  "reflection",
  "scratchpad",
  "analysis",
];

/** Marks around reasoning, in lower case. */
const marks: readonly (readonly [open: string, close: string])[] = [
  ...names.map((name) => [`<${name}>`, `</${name}>`] as const),
  ["<seed:think>", "</seed:think>"],
  ["[think]", "[/think]"],
  ["◁think▷", "◁/think▷"],
  ["<|channel|>analysis", "<|end|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
];

/** Stretches of reasoning that are cut from one text. */
const MOST_CUTS = 20;

/**
 * Returns the text without the reasoning before its first value, of which `valueAt` gives the place. Throws Unhealed for
 * reasoning without an end.
 */
export function* cutReasoning(text: string, valueAt: (text: string) => number): Work<string> {
  let rest = text;
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) {
    yield;
    const lower = lowerCase(rest);
    const opened = firstMark(lower, 0);
    if (opened === undefined || opened.at > valueAt(rest)) break;
    const end = lower.indexOf(opened.close, opened.at + opened.open.length);
    if (end < 0) throw new Unhealed("unclosed_reasoning");
    rest = `${rest.slice(0, opened.at)}\n${rest.slice(end + opened.close.length)}`;
  }
  return cutUnopened(rest, valueAt);
}

/** Places stay as they are, which `toLowerCase` does not promise. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function firstMark(lower: string, from: number) {
  const found = marks.map(([open, close]) => ({ open, close, at: lower.indexOf(open, from) }))
    .filter(({ at }) => at >= 0);
  return found.sort((one, other) => one.at - other.at)[0];
}

/** The mark at the beginning was in the prompt, as some chat templates have it. */
function cutUnopened(text: string, valueAt: (text: string) => number): string {
  if (/^\s*(?:[{["]|```)/.test(text)) return text;
  const lower = lowerCase(text);
  for (const [open, close] of marks) {
    const end = lower.indexOf(close);
    if (end < 0 || lower.lastIndexOf(open, end) >= 0) continue;
    // Within a line of JSON it would be a part of a text.
    if (valueAt(text) > end || isLineStart(text, end)) return text.slice(end + close.length);
  }
  return text;
}
