/**
 * Reads a text that its client takes for JSON while it comes: each value as it is meant, alone and behind the name of
 * its field, as arguments of functions are. What comes behind something that JSON does not allow is read as text.
 */

import { meaningOf } from "../builtins/json_escapes.ts";
import { ClippedScanner } from "./clipped_scanner.ts";
import { JsonPlace } from "./json_place.ts";
import { JsonString } from "./json_string.ts";
import type { ScanOptions } from "./scan_options.ts";
import { OUTPUT_WINDOW } from "./scan_windows.ts";
import { behindName, readShaped, scanSlots } from "./scan_slots.ts";
import { joinPieces, scanText } from "./scan_text.ts";
import { mayBeJson } from "../text_slots/json_text.ts";
import { json } from "../text_slots/shape.ts";
import type { TextSlot } from "../text_slots/slot.ts";
import { writeSlots } from "../text_slots/write_slots.ts";
import { type ScannedPiece, TextScanner } from "./text_scanner.ts";
import type { Work } from "../../../../shared/util/run_work.ts";

/** A reader of a text that comes in pieces. */
export type Scanner = Pick<TextScanner, "scanLong"> & Partial<Pick<TextScanner, "matchesAtEnd">>;

export const scannerFor = (options: ScanOptions): Scanner =>
  options.isJson === true ? new JsonScanner(options) : new TextScanner(options);

/** A whole text. Throws BlockedContent. */
export function* scanWhole(text: string, options: ScanOptions): Work<string> {
  if (options.isJson !== true) return yield* scanText(text, options);
  return yield* joinPieces(yield* new JsonScanner(options).scanLong(text, true), ({ text }) => text);
}

/** A text of more code units goes on before its end, unless it may be JSON itself. */
const MOST_HELD = OUTPUT_WINDOW;
/** So much of what has gone on may announce what comes behind. */
const REACH = 512;
/** Tokens, and code units of a text, that are read before a pause is offered. */
const TOKENS_AT_ONCE = 64;
const SLICE = 64 * 1024;

interface Token {
  readonly start: number;
  readonly end: number;
  readonly field: string | undefined;
}

const [QUOTE, BACKSLASH] = [34, 92];
const space = /[ \t\n\r]*/y;
const word = /[-+.\w]*/y;
const scalar = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;

export class JsonScanner implements Scanner {
  readonly #options: ScanOptions;
  readonly #place = new JsonPlace();
  /** The text that has come and was not sent on yet. */
  #raw = "";
  /** Position in the whole text at which `#raw` begins. */
  #base = 0;
  /** Position in `#raw` up to which it has been read. */
  #at = 0;
  /** Position in `#raw` up to which the end of a text has been looked for. */
  #looked = 0;
  /** The value or name that goes on with the next mark. */
  #token: Token | undefined;
  #tokens = 0;
  /** A text that goes on before its end. */
  #string: { readonly scanner: JsonString; readonly base: number } | undefined;
  /** End of the text that was sent on so far. */
  #before = "";
  /** Reads what is no JSON, to the end. */
  #text: ClippedScanner | undefined;
  /** Length of the whole text so far. */
  #length = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** Reads on. Gives what can be sent on now: all if nothing may be replaced. Throws BlockedContent. */
  *scanLong(more: string, isEnd: boolean): Work<readonly ScannedPiece[]> {
    const start = this.#length;
    this.#length += more.length;
    const pieces: ScannedPiece[] = [];
    yield* this.#scan(more, { isEnd, pieces });
    if (this.#options.view.isEnforced) return pieces;
    return more === "" ? [] : [{ start, end: start + more.length, text: more, isReplaced: false }];
  }

  *#scan(more: string, { isEnd, pieces }: Scanning): Work<void> {
    if (this.#text !== undefined) return yield* this.#readText(more, { text: this.#text, isEnd, pieces });
    this.#raw += more;
    const isJson = yield* this.#read(pieces);
    if (isJson && !isEnd) return;
    if (isJson && this.#place.isOver) return this.#pass(this.#raw.length, pieces);
    if (this.#string !== undefined) return yield* this.#addToString(this.#raw.length, { isEnd, pieces });
    const text = this.#text = new ClippedScanner(this.#options, this.#before);
    const raw = this.#raw;
    this.#raw = "";
    yield* this.#readText(raw, { text, isEnd, pieces });
  }

  *#readText(
    more: string,
    { text, isEnd, pieces }: Scanning & { readonly text: ClippedScanner },
  ): Work<void> {
    for (let start = 0; start === 0 || start < more.length; start += SLICE) {
      const isLast = isEnd && start + SLICE >= more.length;
      push(yield* text.scanLong(more.slice(start, start + SLICE), isLast), { pieces, base: this.#base });
    }
  }

  /** False where something comes that JSON does not allow. */
  *#read(pieces: ScannedPiece[]): Work<boolean> {
    for (;;) {
      if (this.#string !== undefined) {
        if (!(yield* this.#goOnWithString(pieces))) return true;
        continue;
      }
      this.#at = endOf(space, this.#raw, { at: this.#at });
      if (this.#at === this.#raw.length) return true;
      const first = this.#raw.charAt(this.#at);
      const step = "{}[],:".includes(first)
        ? yield* this.#takeMark(first, pieces)
        : first === '"'
        ? this.#takeText(pieces)
        : this.#takeScalar();
      if (step !== "next") return step === "wait";
      if (++this.#tokens % TOKENS_AT_ONCE === 0) yield;
    }
  }

  *#takeMark(mark: string, pieces: ScannedPiece[]): Work<Step> {
    if (!this.#place.takeMark(mark)) return "no JSON";
    this.#at++;
    yield* this.#release(pieces);
    return "next";
  }

  #takeText(pieces: ScannedPiece[]): Step {
    const place = this.#place;
    if (!place.allowsText) return "no JSON";
    const start = this.#at;
    const end = this.#textEnd(start + 1);
    const length = (end ?? this.#raw.length) - start;
    if (length > MOST_HELD && !place.expectsName && !isOpening(this.#raw, start + 1)) {
      this.#openString(pieces);
    } else {
      if (end === undefined) return "wait";
      const { expectsName } = place;
      place.takeText(() => unescaped(this.#raw.slice(start + 1, end - 1)));
      this.#token = { start, end, field: expectsName ? undefined : place.field };
      this.#at = end;
    }
    this.#looked = 0;
    return "next";
  }

  #takeScalar(): Step {
    const start = this.#at;
    const end = endOf(word, this.#raw, { at: start });
    if (end === this.#raw.length) return this.#place.allowsValue ? "wait" : "no JSON";
    const isValue = scalar.test(this.#raw.slice(start, end)) && this.#place.takeValue();
    if (!isValue) return "no JSON";
    this.#token = { start, end, field: this.#place.field };
    this.#at = end;
    return "next";
  }

  /** Behind the quotation mark that ends a text; undefined where it has not come. */
  #textEnd(start: number): number | undefined {
    let position = Math.max(start, this.#looked);
    for (; position < this.#raw.length; position++) {
      const code = this.#raw.charCodeAt(position);
      if (code === QUOTE) return position + 1;
      if (code !== BACKSLASH) continue;
      if (position + 1 === this.#raw.length) break;
      position++;
    }
    this.#looked = position;
    return undefined;
  }

  #openString(pieces: ScannedPiece[]): void {
    this.#place.takeText(() => "");
    this.#pass(this.#at + 1, pieces);
    const { field } = this.#place;
    const before = field === undefined || field === "" ? "" : behindName(field, "");
    this.#string = { scanner: new JsonString(this.#options, before), base: this.#base };
  }

  /** False where more has to come. */
  *#goOnWithString(pieces: ScannedPiece[]): Work<boolean> {
    const end = this.#textEnd(0);
    yield* this.#addToString(end === undefined ? this.#looked : end - 1, {
      isEnd: end !== undefined,
      pieces,
    });
    if (end === undefined) return false;
    this.#string = undefined;
    this.#at = 1;
    this.#looked = 0;
    return true;
  }

  *#addToString(to: number, { isEnd, pieces }: Scanning): Work<void> {
    if (this.#string === undefined) return;
    const { scanner, base } = this.#string;
    push(yield* scanner.scanLong(this.#raw.slice(0, to), isEnd), { pieces, base });
    this.#drop(to);
  }

  *#release(pieces: ScannedPiece[]): Work<void> {
    const token = this.#token;
    this.#token = undefined;
    if (token !== undefined) {
      const { start, end } = token;
      const text = this.#raw.slice(start, end);
      const written = yield* this.#readToken(text, token);
      if (written !== text) {
        this.#pass(start, pieces);
        const replaced = { start: this.#base, end: this.#base + text.length, text: written };
        pieces.push({ ...replaced, isReplaced: true });
        this.#drop(text.length);
      }
    }
    this.#pass(this.#at, pieces);
  }

  *#readToken(text: string, { field }: Token): Work<string> {
    const { view, window, report, masks } = this.#options;
    const read = yield* readShaped(text, json);
    const slots = read.slots.map((slot) => isNested(slot) ? slot : withField(slot, field));
    const changes = yield* scanSlots(slots, { view, window, report, masks });
    return yield* writeSlots(text, { shape: json, changes });
  }

  /** Goes on as it came. */
  #pass(to: number, pieces: ScannedPiece[]): void {
    if (to === 0) return;
    const text = this.#raw.slice(0, to);
    pieces.push({ start: this.#base, end: this.#base + to, text, isReplaced: false });
    this.#drop(to);
  }

  #drop(to: number): void {
    this.#before = (this.#before + this.#raw.slice(Math.max(0, to - REACH), to)).slice(-REACH);
    this.#raw = this.#raw.slice(to);
    this.#base += to;
    this.#at = Math.max(0, this.#at - to);
    this.#looked = Math.max(0, this.#looked - to);
  }
}

/** `wait`: it is not known yet what comes. */
type Step = "next" | "wait" | "no JSON";

interface Scanning {
  readonly isEnd: boolean;
  readonly pieces: ScannedPiece[];
}

function push(
  more: readonly ScannedPiece[],
  { pieces, base }: { readonly pieces: ScannedPiece[]; readonly base: number },
): void {
  for (const piece of more) pieces.push({ ...piece, start: piece.start + base, end: piece.end + base });
}

function endOf(expression: RegExp, text: string, { at }: { readonly at: number }): number {
  expression.lastIndex = at;
  expression.test(text);
  return expression.lastIndex;
}

/** Code units in which the beginning of a text stands. */
const BEGINNING = 400;

/** Whether a text may be JSON itself. */
const isOpening = (raw: string, start: number): boolean =>
  mayBeJson(unescaped(raw.slice(start, start + BEGINNING)));

const unescaped = (raw: string): string =>
  raw.replaceAll(/\\(u[\dA-Fa-f]{4}|[^u])/g, (_, body: string) => meaningOf(body));

/** Whether it is a text in JSON that the value has in it, rather than the value. */
function isNested({ path }: Pick<TextSlot, "path">): boolean {
  const token = path?.parent?.parent;
  return token !== undefined && (path?.step !== -1 || isNested({ path: token }));
}

const withField = (slot: TextSlot, field: string | undefined): TextSlot =>
  field === undefined || field === "" ? slot : { ...slot, field };
