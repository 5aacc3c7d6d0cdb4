/** Texts that are there as a whole: each as it may go on. */

import type { FilterView } from "../content_filters.ts";
import type { WorkMeter } from "../text_filter.ts";
import { type ScannedPiece, TextScanner } from "./text_scanner.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { ScanOptions } from "./scan_options.ts";

/** A long text gives way to other work so often (code units). */
const SLICE = 64 * 1024;
/** Texts up to here are looked through without a pause. */
const SHORT = 16 * 1024;

/** Throws BlockedContent. */
export function* scanText(text: string, options: ScanOptions): Work<string> {
  const pieces = yield* scanPieces(text, options);
  return pieces === undefined ? text : yield* joinPieces(pieces, ({ text }) => text);
}

/** Pieces that are put together before a pause is offered. */
const PIECES_AT_ONCE = 4_096;

export function* joinPieces(
  pieces: readonly ScannedPiece[],
  textOf: (piece: ScannedPiece) => string,
): Work<string> {
  const texts: string[] = [];
  for (let at = 0; at < pieces.length; at += PIECES_AT_ONCE) {
    texts.push(pieces.slice(at, at + PIECES_AT_ONCE).map(textOf).join(""));
    yield;
  }
  return texts.join("");
}

/** The stretches of a text as they go on; undefined where nothing is replaced. Throws BlockedContent. */
export function* scanPieces(text: string, options: ScanOptions): Work<readonly ScannedPiece[] | undefined> {
  const meter = cleanMeter();
  const isClean = isShortAndClean(text, { view: options.view, meter });
  if (meter.left < UNITS_FOR_CLEAN / 2) yield;
  if (isClean) return undefined;
  const scanner = new TextScanner(options);
  const kept: ScannedPiece[] = [];
  for (let start = 0; start < text.length; start += SLICE) {
    const isEnd = start + SLICE >= text.length;
    for (const piece of yield* scanner.scanLong(text.slice(start, start + SLICE), isEnd)) kept.push(piece);
  }
  return kept.some(({ isReplaced }) => isReplaced) ? kept : undefined;
}

/** Units that may be spent on finding a text clean before it is read with pauses: a few milliseconds. */
const UNITS_FOR_CLEAN = 400_000;

/** How much is spent in one go, without a pause, on texts that may turn out to be clean. */
export const cleanMeter = (): WorkMeter => ({ left: UNITS_FOR_CLEAN });

export interface CleanCheck {
  readonly view: FilterView;
  /** Meter of all texts that are read without a pause between them. */
  readonly meter: WorkMeter;
}

/** Most texts have no match, which is told without a scanner. False too where it would take long. */
export function isShortAndClean(text: string, { view: { filters }, meter }: CleanCheck): boolean {
  if (text.length > SHORT) return false;
  const readable = text.toWellFormed();
  return filters.every(({ filter }) => {
    if (filter.search !== undefined) return filter.search(readable, 0).run(meter) === "none";
    return filter.find(readable, 0) === undefined;
  });
}

const beyondAscii = /[^\0-\x7f]/;

/** Adds up the bytes of a text in UTF-8: at once where it is short, else as work that is left to do. */
export function countUtf8Bytes(text: string, add: (bytes: number) => void): Work<void> | undefined {
  if (text.length > SLICE) return countSlices(text, add);
  add(utf8Length(text));
  return undefined;
}

function* countSlices(text: string, add: (bytes: number) => void): Work<void> {
  for (let start = 0; start < text.length; start += SLICE) {
    if (start > 0) yield;
    add(utf8Length(text.slice(start, start + SLICE)));
  }
}

/** Halves of a pair may stand in two slices. */
function utf8Length(text: string): number {
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
