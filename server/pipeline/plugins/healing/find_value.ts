/** Finds the one JSON value in an answer: in its only fenced block, else the only one that stands in its text. */

import type { Work } from "../../../../shared/util/run_work.ts";
import { Unhealed } from "./healing_reasons.ts";
import { closingQuotes, FENCE, isFence, isFenceLine, skipSpace, startsComment } from "./json_characters.ts";
import { type ScannedValue, scanValue } from "./scan_value.ts";

/** Values that the answer may be, by their first character. */
export type Roots = "{" | "[" | "{[" | "";

export interface FoundValue extends ScannedValue {
  /** Where it begins in the text that was searched. */
  readonly start: number;
  readonly isFenced: boolean;
  /** Behind it stand brackets that nothing has opened. */
  readonly hasSpareEnds: boolean;
}

/** Characters between two pauses. */
const STRETCH = 16_384;
/** Values in one text, of which a fence may mark the one that counts. */
const MOST_VALUES = 100;

/** Throws Unhealed where there is none, or more than one, or where what stands around it may belong to it. */
export function* findValue(text: string, roots: Roots): Work<FoundValue> {
  const values = yield* listValues(text, roots);
  const fenced = values.filter(({ isFenced }) => isFenced);
  const candidates = fenced.length > 0 ? fenced : values;
  const [value] = candidates;
  if (value === undefined) throw new Unhealed("no_json");
  if (candidates.length > 1) throw new Unhealed("several_values");
  if (!roots.includes(text[value.start] ?? "")) throw new Unhealed("root");
  // A list in other text may be a part of an object that is none of JSON.
  const isPart = roots === "{[" && text[value.start] === "[" && !isAlone(text, value);
  if (isPart) throw new Unhealed("surroundings");
  checkSurroundings(text, value);
  return value;
}

const isAlone = (text: string, { start, end, isFenced }: FoundValue): boolean =>
  isFenced || (text.slice(0, start).trim() === "" && text.slice(end).trim() === "");

function* listValues(text: string, roots: Roots): Work<FoundValue[]> {
  const values: FoundValue[] = [];
  let isFenced = false;
  for (let at = 0, steps = 0; at < text.length; steps++) {
    if (steps % STRETCH === STRETCH - 1) yield;
    if (isFenceLine(text, at) || (isFenced && isFence(text, at))) {
      isFenced = !isFenced;
      at += FENCE.length;
    } else if (startsValue(text, { at, roots })) {
      const value = yield* scanValue(text, at);
      const hasSpareEnds = "}]".includes(text[skipSpace(text, value.end)] ?? " ");
      values.push({ ...value, start: at, isFenced, hasSpareEnds });
      if (values.length > MOST_VALUES) throw new Unhealed("several_values");
      at = value.end;
    } else at++;
  }
  return values;
}

/** Where the first value begins; the length of the text where there is none. */
export function firstValueAt(text: string, roots: Roots): number {
  for (let at = 0; at < text.length; at++) if (startsValue(text, { at, roots })) return at;
  return text.length;
}

interface ValuePlace {
  readonly at: number;
  readonly roots: Roots;
}

/** Whether a value begins there, and no list of sources, no placeholder and no other bracket of prose. */
function startsValue(text: string, { at, roots }: ValuePlace): boolean {
  const char = text[at];
  if (char !== "{" && char !== "[") return false;
  const next = skipSpace(text, at + 1);
  const first = text[next];
  if (first === undefined || startsComment(text, next)) return true;
  if (char === "{") return first === "}" || isQuoted(text, next) || beginsBareName(text, next);
  // A list that cannot be the answer counts as one where it holds objects: they are not the answer either.
  if (!roots.includes("[")) return first === "{" && startsValue(text, { at: next, roots });
  if (first === "{") return startsValue(text, { at: next, roots });
  return first === "]" || first === "[" || isQuoted(text, next) || /[\d\-tfnTFN]/.test(first);
}

const isQuoted = (text: string, at: number): boolean =>
  closingQuotes(text[at]) !== undefined || (text[at] === "\\" && text[at + 1] === '"');

/** A name without quotes, behind which there is a colon. */
function beginsBareName(text: string, from: number): boolean {
  let at = from;
  while (at - from < 64 && /[\p{L}\p{N}_$-]/u.test(text[at] ?? "")) at++;
  if (at === from) return false;
  if (text[at] === '"') at++;
  return text[skipSpace(text, at)] === ":";
}

/** Behind the value: brackets too many, the end of a call or of a statement. */
const leftover = new Set([..."}])>;`"]);

/** A text in quotes with a colon or a bracket: no prose, but a part of the value. */
const member = /["'”’]\s*[:}\]]/;

/** Throws where a bracket seems to have been set too early or too late, so that a part of the value stands outside. */
function checkSurroundings(text: string, { start, end, isFenced }: FoundValue): void {
  const [from, to] = isFenced ? blockAround(text, { start, end }) : [0, text.length];
  const before = text.slice(from, start).trimEnd();
  let at = skipSpace(text, end);
  while (at < to && leftover.has(text[at] ?? "")) at = skipSpace(text, at + 1);
  const after = text.slice(at, to);
  const continues = after !== "" && (",:[".includes(after[0] ?? "") || closingQuotes(after[0]) !== undefined);
  const isMember = before.endsWith(",") || before.endsWith("[") ||
    (before.endsWith(":") && before.includes("{"));
  if (continues || isMember || member.test(before) || member.test(after)) throw new Unhealed("surroundings");
}

/** Where the fenced block of a value begins and ends. */
function blockAround(text: string, { start, end }: Pick<FoundValue, "start" | "end">): [number, number] {
  const closing = text.indexOf(FENCE, end);
  return [text.lastIndexOf(FENCE, start) + FENCE.length, closing < 0 ? text.length : closing];
}
