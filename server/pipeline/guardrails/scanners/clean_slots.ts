/** Short texts in which nothing is found, told at once. */

import type { FilterView } from "../content_filters.ts";
import { joinedRuns } from "./joined_texts.ts";
import { behindName } from "./scan_slots.ts";
import { type CleanCheck, cleanMeter, isShortAndClean } from "./scan_text.ts";
import type { TextSlot } from "../text_slots/slot.ts";

/** Code units that are read without a pause, and what a text takes besides. */
const CHARS_AT_ONCE = 16 * 1024;
const SLOT_CHARS = 64;

/** Whether nothing is found in any of the slots, told at once: most pieces of requests are short and have nothing. */
export function areClean(slots: readonly TextSlot[], view: FilterView): boolean {
  const check: CleanCheck = { view, meter: cleanMeter() };
  let chars = 0;
  for (const { text, field } of slots) {
    chars += text.length + SLOT_CHARS;
    if (chars > CHARS_AT_ONCE || !isCleanSlot(text, { field, check })) return false;
  }
  for (const run of joinedRuns(slots, ({ text }) => text)) {
    if (!isShortAndClean(run.map(({ text }) => text).join(""), check)) return false;
  }
  return true;
}

function isCleanSlot(
  text: string,
  { field, check }: { readonly field: string | undefined; readonly check: CleanCheck },
): boolean {
  const named = field === undefined ? undefined : behindName(field, text);
  const isClean = () =>
    isShortAndClean(text, check) && (named === undefined || isShortAndClean(named, check));
  if (!isWord(text) || (field !== undefined && !isWord(field))) return isClean();
  const words = cleanWordsOf(check.view);
  if (words.has(named ?? text)) return true;
  if (!isClean()) return false;
  if (words.size >= MOST_WORDS) words.clear();
  words.add(named ?? text);
  return true;
}

/** Names of fields and functions come again with every request of a client. */
const isWord = (text: string) => text.length <= 40 && /^[A-Za-z_][\w-]*$/.test(text);
const MOST_WORDS = 4_096;
const cleanWords = new WeakMap<FilterView, Set<string>>();

function cleanWordsOf(view: FilterView): Set<string> {
  let words = cleanWords.get(view);
  if (words === undefined) cleanWords.set(view, words = new Set());
  return words;
}
