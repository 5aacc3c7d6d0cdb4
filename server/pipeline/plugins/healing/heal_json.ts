/**
 * Heals the JSON of an answer: finds the one value in it, repairs it, and keeps the result only where it is what the
 * model has written, and satisfies what the caller has asked for. Never a guess.
 */

import { isRecord, tryParseJson } from "../../../../shared/util/json.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { OutputFormat } from "../../../protocols/canonical/request.ts";
import { areTexts } from "./bare_texts.ts";
import { isComplete } from "./complete_value.ts";
import { cutReasoning } from "./cut_reasoning.ts";
import { findValue, firstValueAt, type FoundValue, type Roots } from "./find_value.ts";
import { Unhealed, type UnhealedReason } from "./healing_reasons.ts";
import { type RepairedValue, repairValue } from "./repair_value.ts";
import { typesOf } from "./schema_place.ts";
import { satisfiesSchema } from "./satisfies_schema.ts";

export type JsonFormat = Exclude<OutputFormat, { readonly type: "text" }>;

/** `sound` needs nothing. `unhealed` stays as it came. */
export type Healing =
  | { readonly type: "sound" }
  | { readonly type: "healed"; readonly text: string }
  | { readonly type: "unhealed"; readonly reason: UnhealedReason };

/** Characters of an answer that is healed. */
const MOST_CHARACTERS = 2 * 1024 * 1024;

export function* healJson(text: string, format: JsonFormat): Work<Healing> {
  try {
    const value = tryParseJson(text);
    if (value !== undefined && isSound(value, format)) return { type: "sound" };
    if (text.length > MOST_CHARACTERS) throw new Unhealed("too_long");
    const healed = yield* healText(text, format);
    return { type: "healed", text: healed };
  } catch (error) {
    if (error instanceof Unhealed) return { type: "unhealed", reason: error.reason };
    // What reads a value level by level has met too many of them.
    if (error instanceof RangeError) return { type: "unhealed", reason: "too_deep" };
    throw error;
  }
}

/** Throws Unhealed for a value that is not what was asked for, but for a text, which may hold it. */
function isSound(value: unknown, format: JsonFormat): boolean {
  try {
    check(value, format);
    return true;
  } catch (error) {
    if (!(error instanceof Unhealed)) throw error;
    // There is nothing to heal in JSON, whatever the schema is.
    if (error.reason === "schema_unchecked") return true;
    if (typeof value !== "string") throw error;
    return false;
  }
}

/** Throws Unhealed for a value that is not what the caller has asked for. */
function check(value: unknown, format: JsonFormat): void {
  if (format.type === "json_object") {
    if (!isRecord(value)) throw new Unhealed("root");
  } else if (!satisfiesSchema(value, format.schema)) throw new Unhealed("schema");
}

function* healText(text: string, format: JsonFormat): Work<string> {
  const roots = rootsOf(format);
  const cut = yield* cutReasoning(text.replace(/^\ufeff/, ""), (rest) => firstValueAt(rest, roots));
  const unescaped = unescapedText(cut);
  if (unescaped !== undefined) return yield* healFound(unescaped, format);
  return yield* healFound(cut, format);
}

function* healFound(text: string, format: JsonFormat): Work<string> {
  const whole = tryParseJson(text);
  if (whole !== undefined) return soundText(text, { value: whole, format });
  const found = yield* findValue(text, rootsOf(format));
  const schema = format.type === "json_schema" ? format.schema : undefined;
  const repaired = yield* repairFound(found, schema);
  if (found.hasSpareEnds && !isSpare(found.text, { repaired: repaired.text, schema })) {
    throw new Unhealed("surroundings");
  }
  yield;
  const value = tryParseJson(repaired.text);
  if (value === undefined) throw new Unhealed("unclear");
  const { added, bare } = repaired;
  if (bare.length > 0) yield* checkBare(value, { texts: new Set(bare), schema });
  if (added > 0 && !isComplete({ value, schema, missing: added })) throw new Unhealed("no_end");
  return soundText(repaired.text, { value, format });
}

/**
 * Whether a bracket too many is one that may be left out, and not one that was set too early in the value: then what
 * follows it stands a level too high.
 */
function isSpare(
  text: string,
  { repaired, schema }: { readonly repaired: string; readonly schema: JsonObject | undefined },
): boolean {
  return repaired === text && (schema !== undefined || !/[}\]]/.test(text.slice(1, -1)));
}

function* checkBare(
  value: unknown,
  { texts, schema }: { readonly texts: ReadonlySet<string>; readonly schema: JsonObject | undefined },
): Work<void> {
  if (schema === undefined || !(yield* areTexts(value, { texts, schema }))) throw new Unhealed("unclear");
}

/** Repairs the value. One without an end has no other fault. */
function* repairFound(found: FoundValue, schema: JsonObject | undefined): Work<RepairedValue> {
  try {
    const repaired = yield* repairValue(found, { isTyped: schema !== undefined });
    if (found.isClosed || repaired.added > 0) return repaired;
  } catch (error) {
    if (found.isClosed || !(error instanceof Unhealed)) throw error;
  }
  throw new Unhealed("no_end");
}

function soundText(
  text: string,
  { value, format }: { readonly value: unknown; readonly format: JsonFormat },
): string {
  check(value, format);
  return text;
}

/** JSON that was written as a text of JSON, with its quotes or without them. */
function unescapedText(text: string): string | undefined {
  const trimmed = text.trim();
  const whole = tryParseJson(trimmed);
  if (typeof whole === "string") return whole;
  if (!/^[{[](?:\s|\\[nrt]){0,1000}\\"/.test(trimmed)) return undefined;
  const inner = tryParseJson(`"${trimmed.replace(/[\n\r\t]/g, " ")}"`);
  return typeof inner === "string" ? inner : undefined;
}

/** Kinds of values that the answer may be. */
function rootsOf(format: JsonFormat): Roots {
  if (format.type === "json_object") return "{";
  const types = typesOf(format.schema, format.schema);
  if (types === undefined) return "{[";
  if (!types.has("array")) return types.has("object") ? "{" : "";
  return types.has("object") ? "{[" : "[";
}
