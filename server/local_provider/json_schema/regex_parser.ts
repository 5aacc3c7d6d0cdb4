/**
 * Regular expressions of JSON schemas as trees. They come from callers, so they are never handed to the
 * engine: parsing, matching (`regex_match.ts`) and making a string (`generate_matching_string.ts`) are all bounded.
 */

import { ownValue } from "../../../shared/util/own_value.ts";

export type RegexTree =
  | { readonly type: "one"; readonly set: CharSet }
  | { readonly type: "all"; readonly of: readonly RegexTree[] }
  | { readonly type: "any"; readonly of: readonly RegexTree[] }
  | { readonly type: "times"; readonly of: RegexTree; readonly min: number; readonly max: number }
  | { readonly type: "group"; readonly index: number; readonly name?: string; readonly of: RegexTree }
  | { readonly type: "again"; readonly group: number | string }
  | { readonly type: "look"; readonly of: RegexTree; readonly behind: boolean; readonly negative: boolean }
  | { readonly type: "edge"; readonly at: "start" | "end" | "word" | "inside" };

/** A set of characters: its test, and some code points of it that read well. */
export interface CharSet {
  readonly has: (code: number) => boolean;
  readonly likely: readonly number[];
}

const MAX_PATTERN = 2_000;
const MAX_DEPTH = 40;

interface Reader {
  readonly chars: readonly string[];
  at: number;
  groups: number;
  depth: number;
}

/** The tree of `pattern`, or undefined when it is too long, too deep or not a regular expression. */
export function parseRegex(pattern: string): RegexTree | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const reader: Reader = { chars: [...pattern], at: 0, groups: 0, depth: 0 };
  try {
    const tree = alternatives(reader);
    return reader.at === reader.chars.length ? tree : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function peek(reader: Reader, ahead = 0): string {
  return reader.chars[reader.at + ahead] ?? "";
}

function take(reader: Reader): string {
  const char = reader.chars[reader.at];
  if (char === undefined) throw new SyntaxError("pattern ends early");
  reader.at += 1;
  return char;
}

function takeIf(reader: Reader, text: string): boolean {
  const found = reader.chars.slice(reader.at, reader.at + text.length).join("") === text;
  if (found) reader.at += text.length;
  return found;
}

function takeUntil(reader: Reader, end: string): string {
  let text = "";
  for (let char = take(reader); char !== end; char = take(reader)) text += char;
  return text;
}

function alternatives(reader: Reader): RegexTree {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw new SyntaxError("pattern is too deep");
  const branches = [sequence(reader)];
  while (takeIf(reader, "|")) branches.push(sequence(reader));
  reader.depth -= 1;
  return branches.length === 1 && branches[0] !== undefined ? branches[0] : { type: "any", of: branches };
}

function sequence(reader: Reader): RegexTree {
  const of: RegexTree[] = [];
  while (reader.at < reader.chars.length && peek(reader) !== "|" && peek(reader) !== ")") {
    of.push(quantified(reader, atom(reader)));
  }
  return { type: "all", of };
}

function quantified(reader: Reader, of: RegexTree): RegexTree {
  const bounds = quantifier(reader);
  if (bounds === undefined) return of;
  takeIf(reader, "?");
  return { type: "times", of, min: bounds[0], max: bounds[1] };
}

function quantifier(reader: Reader): readonly [number, number] | undefined {
  if (takeIf(reader, "*")) return [0, Infinity];
  if (takeIf(reader, "+")) return [1, Infinity];
  if (takeIf(reader, "?")) return [0, 1];
  if (peek(reader) !== "{") return undefined;
  const end = reader.chars.indexOf("}", reader.at);
  const found = /^(\d+)(,?)(\d*)$/.exec(reader.chars.slice(reader.at + 1, end).join(""));
  if (end < 0 || found === null) return undefined;
  reader.at = end + 1;
  const min = Number(found[1]);
  if (found[2] === "") return [min, min];
  return [min, found[3] === "" ? Infinity : Number(found[3])];
}

function atom(reader: Reader): RegexTree {
  const char = take(reader);
  if (char === "(") return group(reader);
  if (char === "[") return { type: "one", set: bracket(reader) };
  if (char === "^") return { type: "edge", at: "start" };
  if (char === "$") return { type: "edge", at: "end" };
  if (char === ".") return { type: "one", set: setOf((code) => code !== 10 && code !== 13) };
  if (char === "\\") return escaped(reader);
  if ("*+?".includes(char)) throw new SyntaxError("nothing to repeat");
  return { type: "one", set: single(codeOf(char)) };
}

function group(reader: Reader): RegexTree {
  const build = groupKind(reader);
  const of = alternatives(reader);
  if (!takeIf(reader, ")")) throw new SyntaxError("group does not end");
  return build(of);
}

function groupKind(reader: Reader): (of: RegexTree) => RegexTree {
  if (takeIf(reader, "?:")) return (of) => of;
  if (takeIf(reader, "?=")) return (of) => ({ type: "look", of, behind: false, negative: false });
  if (takeIf(reader, "?!")) return (of) => ({ type: "look", of, behind: false, negative: true });
  if (takeIf(reader, "?<=")) return (of) => ({ type: "look", of, behind: true, negative: false });
  if (takeIf(reader, "?<!")) return (of) => ({ type: "look", of, behind: true, negative: true });
  const index = reader.groups += 1;
  if (takeIf(reader, "?<")) {
    const name = takeUntil(reader, ">");
    return (of) => ({ type: "group", index, name, of });
  }
  if (peek(reader) === "?") throw new SyntaxError("unknown group");
  return (of) => ({ type: "group", index, of });
}

function escaped(reader: Reader): RegexTree {
  const char = peek(reader);
  if (char === "b" || char === "B") {
    take(reader);
    return { type: "edge", at: char === "b" ? "word" : "inside" };
  }
  if (/[1-9]/.test(char)) return { type: "again", group: Number(take(reader)) };
  if (takeIf(reader, "k<")) return { type: "again", group: takeUntil(reader, ">") };
  return { type: "one", set: escapedSet(reader) };
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, "0": 0 };
const families: Readonly<Record<string, (code: number) => boolean>> = {
  d: (code) => code >= 48 && code <= 57,
  w: isWordCode,
  s: (code) => /\s/.test(String.fromCodePoint(code)),
};

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 ||
    (code >= 97 && code <= 122);
}

function escapedSet(reader: Reader): CharSet {
  const char = take(reader);
  const family = ownValue(families, char.toLowerCase());
  if (family !== undefined) return setOf(char === char.toLowerCase() ? family : (code) => !family(code));
  if ((char === "p" || char === "P") && takeIf(reader, "{")) {
    return property(takeUntil(reader, "}"), char === "P");
  }
  if (char === "u" && takeIf(reader, "{")) return single(parseInt(takeUntil(reader, "}"), 16));
  if (char === "u") return single(hex(reader, 4));
  if (char === "x") return single(hex(reader, 2));
  return single(ownValue(controls, char) ?? codeOf(char));
}

function hex(reader: Reader, digits: number): number {
  let text = "";
  for (let i = 0; i < digits; i++) text += take(reader);
  return parseInt(text, 16);
}

/** One character class of Unicode; the engine judges one character at a time, which is safe. */
function property(name: string, negative: boolean): CharSet {
  const test = new RegExp(`^\\p{${name}}$`, "u");
  return setOf((code) => test.test(String.fromCodePoint(code)) !== negative);
}

function bracket(reader: Reader): CharSet {
  const negative = takeIf(reader, "^");
  const members: CharSet[] = [];
  while (peek(reader) !== "]") members.push(bracketMember(reader));
  take(reader);
  const has = (code: number) => members.some((member) => member.has(code));
  if (negative) return setOf((code) => !has(code));
  return setOf(has, members.flatMap((member) => member.likely.slice(0, 4)));
}

function bracketMember(reader: Reader): CharSet {
  const low = bracketAtom(reader);
  if (peek(reader) !== "-" || peek(reader, 1) === "]" || low.likely.length !== 1) return low;
  take(reader);
  const high = bracketAtom(reader);
  const from = low.likely[0] ?? 0;
  const to = high.likely[0] ?? from;
  return setOf((code) => code >= from && code <= to, [from, to]);
}

function bracketAtom(reader: Reader): CharSet {
  const char = take(reader);
  if (char !== "\\") return single(codeOf(char));
  return takeIf(reader, "b") ? single(8) : escapedSet(reader);
}

const readable: readonly number[] = [
  ..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.,:/@+éß漢あ!",
].map(codeOf);

function setOf(has: (code: number) => boolean, more: readonly number[] = []): CharSet {
  const likely = readable.filter(has);
  return { has, likely: likely.length > 0 ? likely : more };
}

function single(code: number): CharSet {
  if (!(code >= 0 && code <= 0x10ffff)) throw new SyntaxError("no such character");
  return { has: (other) => other === code, likely: [code] };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** Characters that `\w` stands for. */
export const wordSet: CharSet = setOf(isWordCode);
