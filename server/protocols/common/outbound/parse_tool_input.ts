/**
 * A custom tool takes free text; as a function it takes `{"input": text}`. This reads the text out of the
 * arguments while they stream, so that the caller sees it grow as plain text.
 */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { writeCallArguments } from "../../canonical/call_arguments.ts";

/** `raw` is what came before the text, while it may still be something else. */
export type ToolInputReader =
  | { readonly type: "before"; readonly raw: string }
  | { readonly type: "inside"; readonly held: string }
  | { readonly type: "after" };

type Read = readonly [ToolInputReader, string];

export const initialToolInput: ToolInputReader = { type: "before", raw: "" };

const OPENING = /^\s*\{\s*"input"\s*:\s*"/;

/** Reads the text that a further chunk of the arguments adds. */
export function readToolInput(reader: ToolInputReader, chunk: string): Read {
  if (reader.type === "after") return [reader, ""];
  if (reader.type === "inside") return decode(reader.held + chunk);
  const raw = reader.raw + chunk;
  const opening = OPENING.exec(raw)?.[0];
  return opening === undefined ? [{ type: "before", raw }, ""] : decode(raw.slice(opening.length));
}

/** The rest of the text at the end of the arguments: all of it where they had another shape. */
export function endToolInput(reader: ToolInputReader): string {
  return reader.type === "before" ? unwrap(reader.raw) : "";
}

/** A call as it comes in; `input` of a custom tool. */
interface GrowingCall {
  readonly empty: boolean;
  readonly input?: ToolInputReader;
}

/** The rest of a call's arguments at their end: clients parse them, so a call without any has an empty object. */
export function restOfArguments({ empty, input }: GrowingCall): string {
  if (input !== undefined) return endToolInput(input);
  return empty ? "{}" : "";
}

/** Models also answer with the text alone, with another key first, or with something that is no text. */
function unwrap(raw: string): string {
  const value = tryParseJson(raw);
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || !("input" in value)) return raw;
  return typeof value.input === "string" ? value.input : writeCallArguments(value.input);
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Decodes the inside of a JSON string up to its closing quote; an escape that broke off is held for later. */
function decode(text: string): Read {
  let out = "";
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    if (char === '"') return [{ type: "after" }, out];
    if (char !== "\\") {
      const end = plainEnd(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    const length = escapeLength(text, at);
    if (length === undefined || isHalf(text, at)) return [{ type: "inside", held: text.slice(at) }, out];
    out += unescaped(text.slice(at, at + length));
    at += length;
  }
  return [{ type: "inside", held: "" }, out];
}

function plainEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && text.charAt(end) !== '"' && text.charAt(end) !== "\\") end++;
  return end;
}

/** A character in two escapes of which the second is not all there: half of it must not go out by itself. */
const isHalf = (text: string, at: number) =>
  /^\\u[dD][89abAB]..(\\(u([dD]([c-fC-F].?)?)?)?)?$/.test(text.slice(at, at + 12));

/** Undefined while the escape is not all there. */
function escapeLength(text: string, at: number): number | undefined {
  if (at + 1 >= text.length) return undefined;
  if (text.charAt(at + 1) !== "u") return 2;
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return 2;
  return digits.length === 4 ? 6 : undefined;
}

/** Escapes that JSON does not know stand for themselves: the text is the model's, and half of it is worse. */
function unescaped(escape: string): string {
  if (escape.length === 6) return String.fromCharCode(parseInt(escape.slice(2), 16));
  const letter = escape.charAt(1);
  return letter === "u" ? escape : ownValue(escapes, letter) ?? letter;
}
