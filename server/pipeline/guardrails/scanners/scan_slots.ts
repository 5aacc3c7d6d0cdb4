/** The texts of a value through content filters: each alone, with the name of its field, and with its neighbours. */

import { joinedRuns, type Segment } from "./joined_texts.ts";
import { joinPieces, scanPieces, scanText } from "./scan_text.ts";
import { BlockedContent, type ScannedPiece } from "./text_scanner.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { ScanOptions } from "./scan_options.ts";
import { readSlots, type ReadValue, TooDeep } from "../text_slots/read_slots.ts";
import type { Shape } from "../text_slots/shape.ts";
import type { TextSlot } from "../text_slots/slot.ts";
import { writeSlots } from "../text_slots/write_slots.ts";
import type { TextMatch } from "../text_filter.ts";

export interface SlotScanOptions extends ScanOptions {
  /** A text is about to be read. */
  readonly read?: (text: string) => Work<void> | undefined;
  /** True for a text that has been read and need not be read again. */
  readonly isKnown?: (text: KnownText) => boolean;
  /** Names of functions before and after masking. */
  readonly identifiers?: IdentifierMasks;
}

interface IdentifierMasks {
  noteIdentifier(masked: string, original: string): void;
  identifier(masked: string): string | undefined;
}

/** Code units that are read before a pause is offered, and what a text takes besides. */
const CHARS_AT_ONCE = 16 * 1024;
const SLOT_CHARS = 64;

/** A text as it was read: with the name of its field, where it has one. */
export type KnownText = string;

const knownText = ({ field }: Pick<TextSlot, "field">, text: string): KnownText =>
  field === undefined ? text : behindName(field, text);

export interface ScannedValue<T> extends Pick<ReadValue, "media" | "sealed"> {
  /** The same value where nothing is replaced. */
  readonly value: T;
  /** Every text in it as it may go on. */
  readonly texts: readonly KnownText[];
}

/** Every text of a value. Throws BlockedContent. */
export function* scanValue<T>(
  value: T,
  { shape, options }: { readonly shape: Shape; readonly options: SlotScanOptions },
): Work<ScannedValue<T>> {
  const { slots, media, sealed } = yield* readShaped(value, shape);
  const changes = yield* scanSlots(slots, options);
  return {
    value: yield* writeSlots(value, { shape, changes }),
    media,
    sealed,
    texts: slots.map((slot) => knownText(slot, changes.get(slot) ?? slot.text)),
  };
}

/** Throws BlockedContent for a value that is nested too deeply. */
export function* readShaped(value: unknown, shape: Shape): Work<ReadValue> {
  try {
    return yield* readSlots(value, shape);
  } catch (error) {
    if (error instanceof TooDeep) throw new BlockedContent(error.message, { cause: error });
    throw error;
  }
}

/** The slots that change, with their texts as they may go on. Throws BlockedContent. */
export function* scanSlots(
  slots: readonly TextSlot[],
  options: SlotScanOptions,
): Work<ReadonlyMap<TextSlot, string>> {
  const changes = new Map<TextSlot, string>();
  let chars = 0;
  for (const slot of slots) {
    if (options.isKnown?.(knownText(slot, slot.text)) === true) continue;
    const counting = slot.around === undefined ? options.read?.(slot.text) : undefined;
    if (counting !== undefined) yield* counting;
    const scanned = yield* scanSlot(slot, options);
    if (scanned !== slot.text) changes.set(slot, scanned);
    chars += slot.text.length + SLOT_CHARS;
    if (chars > CHARS_AT_ONCE) {
      chars = 0;
      yield;
    }
  }
  for (const run of joinedRuns(slots, (slot) => changes.get(slot) ?? slot.text)) {
    yield* scanRun(run, { changes, options });
  }
  return changes;
}

/** One text, alone and behind the name of its field. Throws BlockedContent. */
export function* scanSlot(
  { text, field, form, around }: TextSlot,
  options: SlotScanOptions,
): Work<string> {
  if (form === "identifier") return yield* scanIdentifier(text, options);
  if (field === undefined) return yield* scanText(text, options);
  const found: FoundMatch[] = [];
  const accepts: ScanOptions["accepts"] = (filter, match) => {
    found.push({ filter, match });
    return around === undefined || !isFoundAround(around, { filter, match });
  };
  const alone = yield* scanText(text, { ...options, accepts });
  return yield* scanBehindName(alone, { field, options, found: alone === text ? found : [] });
}

/** Code units before a match in which one that is longer may begin. */
const REACH_AROUND = 256;

/** Whether a match was found already where the text around it was read. */
function isFoundAround(
  { text, offset }: NonNullable<TextSlot["around"]>,
  { filter: { filter }, match }: FoundMatch,
): boolean {
  const [start, end] = [match.start + offset, match.end + offset];
  const from = Math.max(0, start - REACH_AROUND);
  const base = Math.max(0, from - filter.lookBehind);
  const near = text.slice(base, end + REACH_AROUND + filter.lookAhead).toWellFormed();
  for (let one = filter.find(near, from - base); one !== undefined; one = filter.find(near, one.end)) {
    if (one.start + base >= end) return false;
    if (one.end + base > start) return true;
  }
  return false;
}

interface FoundMatch {
  readonly filter: Parameters<ScanOptions["report"]>[0];
  readonly match: TextMatch;
}

interface NamedText {
  readonly field: string;
  readonly options: ScanOptions;
  /** Matches that were found in the text alone. */
  readonly found: readonly FoundMatch[];
}

/** As people write a field and its value. */
export const behindName = (field: string, text: string): string => `${field}: ${text}`;

function* scanBehindName(text: string, { field, options, found }: NamedText): Work<string> {
  const before = behindName(field, "").length;
  const isFound = overlapsOf(found);
  const accepts: ScanOptions["accepts"] = (filter, { start, end }) =>
    end > before && !isFound({ filter, match: { start: start - before, end: end - before } });
  const report: ScanOptions["report"] = (filter, { start, end }) =>
    options.report(filter, { start: Math.max(0, start - before), end: end - before });
  const pieces = yield* scanPieces(behindName(field, text), { ...options, accepts, report, from: before });
  return pieces === undefined
    ? text
    : (yield* textsOf(pieces, { lengths: [before, text.length], place: "end" }))[1] ?? text;
}

/** Whether a match lies over one of those that its filter has found. It is asked in their order, as they were found. */
function overlapsOf(found: readonly FoundMatch[]): (asked: FoundMatch) => boolean {
  const byFilter = Map.groupBy(found, ({ filter }) => filter);
  const positions = new Map<FoundMatch["filter"], number>();
  return ({ filter, match }) => {
    const known = byFilter.get(filter) ?? [];
    let at = positions.get(filter) ?? 0;
    while ((known[at]?.match.end ?? Infinity) <= match.start) at++;
    positions.set(filter, at);
    return (known[at]?.match.start ?? Infinity) < match.end;
  };
}

/** A function's name stays one: placeholders have brackets. */
function* scanIdentifier(text: string, options: SlotScanOptions): Work<string> {
  const original = options.identifiers?.identifier(text);
  if (original !== undefined && options.masks === undefined) return original;
  const scanned = yield* scanText(text, options);
  if (scanned === text) return text;
  const name = scanned.replaceAll(/[^\w-]+/g, "_");
  if (options.masks !== undefined) options.identifiers?.noteIdentifier(name, text);
  return name;
}

function* scanRun(
  run: readonly Segment[],
  { changes, options }: { readonly changes: Map<TextSlot, string>; readonly options: ScanOptions },
): Work<void> {
  const texts = yield* scanJoined(run.map(({ text }) => text), options);
  for (const [position, text] of texts.entries()) {
    const segment = run[position];
    if (segment === undefined || text === segment.text) continue;
    const { slot, start, end } = segment;
    const whole = changes.get(slot) ?? slot.text;
    // Its beginning may have changed by now, with the run before.
    const before = start === 0 ? "" : whole.slice(0, whole.length - segment.text.length);
    changes.set(slot, before + text + (start === 0 ? whole.slice(end) : ""));
  }
}

/** Texts that may be read as one, without what is found only over the border of two. Throws BlockedContent. */
export function* scanJoined(texts: readonly string[], options: ScanOptions): Work<readonly string[]> {
  const lengths = texts.map(({ length }) => length);
  const ends = endsOf(lengths);
  const accepts = (_: unknown, { start, end }: TextMatch) => (firstBehind(ends, start) ?? Infinity) < end;
  const pieces = yield* scanPieces(texts.join(""), { ...options, accepts });
  return pieces === undefined ? texts : yield* textsOf(pieces, { lengths, place: "start" });
}

function endsOf(lengths: readonly number[]): readonly number[] {
  let end = 0;
  return lengths.map((length) => end += length);
}

/** The first of the ends, which grow, that lies behind a position. */
function firstBehind(ends: readonly number[], position: number): number | undefined {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = low + high >>> 1;
    if ((ends[middle] ?? Infinity) > position) high = middle;
    else low = middle + 1;
  }
  return ends[low];
}

interface JoinedLengths {
  readonly lengths: readonly number[];
  /** The text in which a placeholder over several stands: where its match starts, or ends. */
  readonly place: "start" | "end";
}

/** The pieces by the texts from which they come. */
function* textsOf(
  pieces: readonly ScannedPiece[],
  { lengths, place }: JoinedLengths,
): Work<readonly string[]> {
  const texts: string[] = [];
  let [from, first] = [0, 0];
  for (const length of lengths) {
    const to = from + length;
    while ((pieces[first]?.end ?? Infinity) <= from) first++;
    let behind = first;
    while ((pieces[behind]?.start ?? Infinity) < to) behind++;
    const part = { from, to, place };
    texts.push(yield* joinPieces(pieces.slice(first, behind), (piece) => textIn(piece, part)));
    from = to;
  }
  return texts;
}

interface JoinedPart extends Pick<JoinedLengths, "place"> {
  readonly from: number;
  readonly to: number;
}

function textIn({ start, end, text, isReplaced }: ScannedPiece, { from, to, place }: JoinedPart): string {
  if (!isReplaced) return text.slice(Math.max(0, from - start), Math.max(0, to - start));
  const at = place === "start" ? start : end - 1;
  return at >= from && at < to ? text : "";
}
