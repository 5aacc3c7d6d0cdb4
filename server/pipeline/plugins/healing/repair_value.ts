/**
 * Repairs a broken JSON value. What is whole in it stays as it is; what is long is taken apart first, because the
 * library reads a text more than once and cannot pause.
 */

import { jsonrepair, JSONRepairError } from "jsonrepair";
import type { Work } from "../../../../shared/util/run_work.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { type CheckedRepair, checkRepair } from "./check_repair.ts";
import { Unhealed } from "./healing_reasons.ts";
import { closingQuotes, skipSpace } from "./json_characters.ts";
import { type ScannedValue, scanValue } from "./scan_value.ts";

/** Characters that are repaired in one step: 2 ms where they are an answer, 30 ms where they are made to last. */
const MOST_AT_ONCE = 16_384;

export type RepairedValue = CheckedRepair;

type Value = Pick<ScannedValue, "text" | "commas" | "isClosed">;

interface RepairOptions {
  /** Whether there is a schema. */
  readonly isTyped: boolean;
}

interface Repair extends RepairOptions {
  /** Values of all pieces that had no quotes. */
  readonly bare: string[];
}

/** Throws Unhealed where it is not clear what was meant. */
export function* repairValue(value: Value, { isTyped }: RepairOptions): Work<RepairedValue> {
  return yield* repairAny(value, { isTyped, bare: [] });
}

function* repairAny(value: Value, repair: Repair): Work<RepairedValue> {
  yield;
  const { text } = value;
  const { bare } = repair;
  if (isJson(text)) return { text, added: 0, bare };
  if (text.length <= MOST_AT_ONCE) return repairAtOnce(text, repair);
  if (!value.isClosed) throw new Unhealed("no_end");
  return { text: yield* repairMembers(value, repair), added: 0, bare };
}

const isJson = (text: string): boolean => tryParseJson(text) !== undefined;

function repairAtOnce(source: string, { isTyped, bare }: Repair): RepairedValue {
  const repaired = repairByLibrary(source);
  const checked = checkRepair({ source, repaired, isTyped });
  bare.push(...checked.bare);
  return { text: checked.text, added: checked.added, bare };
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

function* repairMembers({ text, commas }: Value, repair: Repair): Work<string> {
  const isObject = text.startsWith("{");
  const [opening, closing] = isObject ? ["{", "}"] : ["[", "]"];
  const pieces = [0, ...commas].map((from, index) => text.slice(from + 1, commas[index] ?? text.length - 1));
  if (pieces.length > 1 && pieces.at(-1)?.trim() === "") pieces.pop();
  const members: string[] = [];
  const names = new Set<string>();
  for (const piece of pieces) {
    yield;
    const member = isObject ? yield* repairMember(piece, repair) : yield* repairItem(piece, repair);
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
function* repairItem(piece: string, repair: Repair): Work<string> {
  if (isJson(piece)) return piece;
  if (piece.length <= MOST_AT_ONCE) return repairWrapped(`[${piece}]`, repair);
  const text = piece.trim();
  if (text.startsWith("{") || text.startsWith("[")) {
    const value = yield* scanValue(text, 0);
    if (value.end < text.length) throw new Unhealed("too_long");
    return (yield* repairAny(value, repair)).text;
  }
  const escaped = text.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1));
  if (!isJson(escaped)) throw new Unhealed("too_long");
  return escaped;
}

/** A name with its value. */
function* repairMember(piece: string, repair: Repair): Work<string> {
  if (piece.length <= MOST_AT_ONCE) return repairWrapped(`{${piece}}`, repair);
  const colon = colonBehindName(piece);
  const name = repairWrapped(`{${piece.slice(0, colon)}:0}`, repair).replace(/:0$/, ":");
  return name + (yield* repairItem(piece.slice(colon + 1), repair));
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

function repairWrapped(source: string, repair: Repair): string {
  if (isJson(source)) return source.slice(1, -1);
  const { text, added } = repairAtOnce(source, repair);
  if (added > 0) throw new Unhealed("unclear");
  return text.trim().slice(1, -1);
}
