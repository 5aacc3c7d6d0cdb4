/**
 * Repairs a broken JSON value. What is whole in it stays as it is; what is long is taken apart first, because the
 * library reads a text more than once and cannot pause.
 */

import { jsonrepair, JSONRepairError } from "jsonrepair";
import type { Work } from "../../../../shared/util/run_work.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { checkRepair } from "./check_repair.ts";
import { Unhealed } from "./healing_reasons.ts";
import { closingQuotes, skipSpace } from "./json_characters.ts";
import { type ScannedValue, scanValue } from "./scan_value.ts";

/** Characters that are repaired in one step: 2 ms where they are an answer, 30 ms where they are made to last. */
export const MOST_AT_ONCE = 16_384;

export interface RepairedValue {
  readonly text: string;
  /** Brackets that were added behind the end. */
  readonly added: number;
}

type Value = Pick<ScannedValue, "text" | "commas" | "isClosed">;

export interface RepairOptions {
  /** Whether a schema says what has to be text. */
  readonly isTyped: boolean;
}

/** Throws Unhealed where it is not clear what was meant. */
export function* repairValue(value: Value, options: RepairOptions): Work<RepairedValue> {
  yield;
  const { text } = value;
  if (isJson(text)) return { text, added: 0 };
  if (text.length <= MOST_AT_ONCE) return repairAtOnce(text, options);
  if (!value.isClosed) throw new Unhealed("no_end");
  return { text: yield* repairMembers(value, options), added: 0 };
}

const isJson = (text: string): boolean => tryParseJson(text) !== undefined;

function repairAtOnce(source: string, { isTyped }: RepairOptions): RepairedValue {
  const repaired = repairByLibrary(source);
  return { text: repaired, added: checkRepair({ source, repaired, isTyped }) };
}

function repairByLibrary(source: string): string {
  try {
    return jsonrepair(source);
  } catch (error) {
    // It gives up, or has called itself too often: either way nothing is known of the text.
    if (error instanceof JSONRepairError || error instanceof RangeError) throw new Unhealed("unclear");
    throw error;
  }
}

function* repairMembers({ text, commas }: Value, options: RepairOptions): Work<string> {
  const isObject = text.startsWith("{");
  const [opening, closing] = isObject ? ["{", "}"] : ["[", "]"];
  const pieces = [0, ...commas].map((from, index) => text.slice(from + 1, commas[index] ?? text.length - 1));
  if (pieces.length > 1 && pieces.at(-1)?.trim() === "") pieces.pop();
  const members: string[] = [];
  const names = new Set<string>();
  for (const piece of pieces) {
    yield;
    const member = isObject ? yield* repairMember(piece, options) : yield* repairItem(piece, options);
    if (isObject) addNames(names, `{${member}}`);
    members.push(member);
  }
  return opening + members.join(",") + closing;
}

function addNames(names: Set<string>, object: string): void {
  for (const name of Object.keys(Object(tryParseJson(object)))) {
    if (names.has(name)) throw new Unhealed("unclear");
    names.add(name);
  }
}

/** An item of a list, without the commas around it. */
function* repairItem(piece: string, options: RepairOptions): Work<string> {
  if (isJson(piece)) return piece;
  if (piece.length <= MOST_AT_ONCE) return repairWrapped(`[${piece}]`, options);
  const text = piece.trim();
  if (text.startsWith("{") || text.startsWith("[")) {
    const value = yield* scanValue(text, 0);
    if (value.end < text.length) throw new Unhealed("too_long");
    return (yield* repairValue(value, options)).text;
  }
  const escaped = text.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1));
  if (!isJson(escaped)) throw new Unhealed("too_long");
  return escaped;
}

/** A name with its value. */
function* repairMember(piece: string, options: RepairOptions): Work<string> {
  if (piece.length <= MOST_AT_ONCE) return repairWrapped(`{${piece}}`, options);
  const colon = colonBehindName(piece);
  const name = repairWrapped(`{${piece.slice(0, colon)}:0}`, options).replace(/:0$/, ":");
  return name + (yield* repairItem(piece.slice(colon + 1), options));
}

function colonBehindName(piece: string): number {
  const start = skipSpace(piece, 0);
  const closing = closingQuotes(piece[start]) ?? "";
  for (let at = start + 1; at < Math.min(piece.length, start + MOST_AT_ONCE / 2); at++) {
    const char = piece[at] ?? "";
    if (char === ":" && closing === "") return at;
    const next = skipSpace(piece, at + 1);
    if (closing.includes(char) && piece[next] === ":") return next;
  }
  throw new Unhealed("too_long");
}

function repairWrapped(source: string, options: RepairOptions): string {
  if (isJson(source)) return source.slice(1, -1);
  const { text, added } = repairAtOnce(source, options);
  if (added > 0) throw new Unhealed("unclear");
  return text.trim().slice(1, -1);
}
