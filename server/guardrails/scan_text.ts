/** Texts, arguments and JSON values that are there as a whole: each as it may go on. */

import { createScanner } from "jsonc-parser";
import type { FilterView } from "./content_filters.ts";
import { BlockedContent, type ScanOptions, TextScanner, type Work } from "./text_scanner.ts";

/** A long text gives way to other work so often (code units). */
export const SLICE = 256 * 1024;
/** Texts up to here are looked through without a pause. */
const SHORT = 16 * 1024;

/** Throws BlockedContent. */
export function* scanText(text: string, options: ScanOptions): Work<string> {
  if (isShortAndClean(text, options.view)) return text;
  const scanner = new TextScanner(options);
  const kept: string[] = [];
  let isChanged = false;
  for (let start = 0; start < text.length; start += SLICE) {
    const isEnd = start + SLICE >= text.length;
    for (const piece of yield* scanner.scanLong(text.slice(start, start + SLICE), isEnd)) {
      kept.push(piece.text);
      isChanged ||= piece.isReplaced;
    }
  }
  return isChanged ? kept.join("") : text;
}

/** Most texts have no match, which is told without a scanner. */
export function isShortAndClean(text: string, { filters }: FilterView): boolean {
  if (text.length > SHORT) return false;
  const readable = text.toWellFormed();
  return filters.every(({ filter }) => filter.find(readable, 0) === undefined);
}

/**
 * Arguments of a call: the texts in them are read as they are meant, so that `\u0040` is an `@`; everything between them
 * stays as it is. What is no JSON is read as text. A number that matches becomes a text where it has to be replaced.
 */
export function* scanArguments(text: string, options: ScanOptions): Work<string> {
  if (!isJson(text)) return yield* scanText(text, options);
  const scanner = createScanner(text, true);
  let kept = "";
  let copied = 0;
  for (let token = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    if (token !== STRING && token !== NUMBER) continue;
    const value = scanner.getTokenValue();
    const scanned = yield* scanText(value, options);
    if (scanned === value) continue;
    const offset = scanner.getTokenOffset();
    kept += text.slice(copied, offset) + JSON.stringify(scanned);
    copied = offset + scanner.getTokenLength();
  }
  return copied === 0 ? text : kept + text.slice(copied);
}

/** Kinds of tokens, as the package numbers them. */
const STRING = 10;
const NUMBER = 11;
const END_OF_FILE = 17;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Then it is text.
    return false;
  }
}

/** Fields whose texts nobody has written: names, ids, and what only its maker can read. */
export const opaqueFields: ReadonlySet<string> = new Set([
  "b64_json",
  "call_id",
  "container_id",
  "encrypted_content",
  "encrypted_index",
  "file_data",
  "file_id",
  "id",
  "item_id",
  "object",
  "obfuscation",
  "partial_image_b64",
  "role",
  "signature",
  "status",
  "tool_use_id",
  "type",
]);

/** Levels of a value that are walked; deeper ones are no longer JSON that a client may send. */
const MAX_DEPTH = 200;

/** Every text in a value, however deep; the same value where nothing is replaced. Throws BlockedContent. */
export function* scanValue<T>(value: T, options: ScanOptions): Work<T> {
  const scanned = yield* scanPart(value, { ...options, depth: 0 });
  return toSameKind<T>(scanned);
}

/** Texts take the place of texts, so a value keeps its form. */
const toSameKind = <T>(scanned: unknown): T => scanned as T;

interface DeepOptions extends ScanOptions {
  readonly depth: number;
}

function* scanPart(value: unknown, options: DeepOptions): Work<unknown> {
  if (typeof value === "string") {
    // Images and the like stand in data URLs.
    return value.startsWith("data:") ? value : yield* scanText(value, options);
  }
  if (typeof value !== "object" || value === null) return value;
  if (options.depth > MAX_DEPTH) throw new BlockedContent("The value is nested too deeply to be read.");
  const deeper = { ...options, depth: options.depth + 1 };
  return Array.isArray(value) ? yield* scanList(value, deeper) : yield* scanFields(value, deeper);
}

function* scanList(list: readonly unknown[], options: DeepOptions): Work<readonly unknown[]> {
  const items: unknown[] = [];
  for (const item of list) items.push(yield* scanPart(item, options));
  return isSame(items, list) ? list : items;
}

function* scanFields(value: object, options: DeepOptions): Work<object> {
  const fields: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, field] of Object.entries(value)) {
    const scanned = opaqueFields.has(name) ? field : yield* scanPart(field, options);
    fields.push([name, scanned]);
    isChanged ||= scanned !== field;
  }
  return isChanged ? Object.fromEntries(fields) : value;
}

const isSame = (items: readonly unknown[], others: readonly unknown[]) =>
  items.every((item, position) => item === others[position]);

/** Every text in a value. */
export function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && depth <= MAX_DEPTH) {
    for (const field of Object.values(value)) yield* textsIn(field, depth + 1);
  }
}

const beyondAscii = /[^\0-\x7f]/;

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  if (!beyondAscii.test(text)) return text.length;
  let bytes = text.length;
  for (let position = 0; position < text.length; position++) {
    const unit = text.charCodeAt(position);
    if (unit < 0x80) continue;
    // Both halves of a pair count two: four bytes together.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
