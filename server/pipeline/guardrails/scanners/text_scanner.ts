/**
 * Reads one text as it comes, in pieces of any size, and gives out what can go on, wherever the pieces end. A part of a
 * stream is such a text, and so is a long text that is read in slices.
 */

import { runNow, type Work } from "../../../../shared/util/run_work.ts";
import type { ActiveFilter } from "../content_filters.ts";
import { type FilterCursor, keptFrom, mayGrow, reachOf, undecidedFrom, verdictOn } from "./filter_cursor.ts";
import type { ScanOptions } from "./scan_options.ts";
import type { TextMatch, WorkMeter } from "../text_filter.ts";
import {
  groupMatches,
  isMasked,
  isReplaced,
  placeholderFor,
  type ReplacedGroup,
  type ReplacedMatch,
} from "../replaced_matches.ts";
import { beforePair, byPlace } from "./text_positions.ts";

/** A text must not go on. Says nothing of the text. */
export class BlockedContent extends Error {
  override readonly name = "BlockedContent";
}

/** A stretch of the text as it goes on. */
export interface ScannedPiece {
  /** Place in the text that was read, which the piece stands for. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isReplaced: boolean;
}

/** Units of work between two offers of a pause: less than a millisecond. */
const UNITS_AT_ONCE = 20_000;
/** Matches that are replaced before a pause is offered. */
const GROUPS_AT_ONCE = 512;
/** Units that a match costs, besides its characters and the search's own count. */
const UNITS_OF_MATCH = 300;
/** Least number of code units that are dropped at once, of the text that has been read. */
const TRIM = 512;

export class TextScanner {
  readonly #options: ScanOptions;
  readonly #cursors: readonly FilterCursor[];
  readonly #masks: boolean;
  #text = "";
  /** The same with whole characters only, in which filters look. */
  #readable = "";
  readonly #meter: WorkMeter = { left: UNITS_AT_ONCE };
  /** Position of the first code unit of `#text`. */
  #base = 0;
  /** Everything before it has gone on, or was replaced. */
  #released = 0;
  /** End of the text that belongs to matches already replaced. */
  #covered = 0;
  /** Matches to be replaced, those of which nothing has been said. */
  #found: ReplacedMatch[] = [];

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#masks = options.view.filters.some(({ action }) => action === "mask");
    const start = { position: 0, decided: 0, hasFound: false };
    this.#cursors = options.view.filters.map((filter) => ({ filter, ...start }));
  }

  /** Code units that have come and not gone on. */
  get held(): number {
    return this.#end - this.#released;
  }

  /** No match is left that could grow. */
  get isSettled(): boolean {
    return this.#cursors.every(({ open }) => open === undefined);
  }

  /** No match begins before it that is not known. */
  get decided(): number {
    return Math.min(this.#end, ...this.#cursors.map(({ decided }) => decided));
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  /** The same without pauses. */
  scan(more: string, isEnd: boolean): readonly ScannedPiece[] {
    return runNow(this.scanLong(more, isEnd));
  }

  /** Reads on. Gives what can be sent on now. Throws BlockedContent. */
  *scanLong(more: string, isEnd: boolean): Work<readonly ScannedPiece[]> {
    this.#append(more);
    yield* this.#searchAll(isEnd);
    const to = this.#releasable(isEnd);
    const pieces = this.#found.length === 0 ? this.#pass(to) : yield* this.#replace(to, isEnd);
    this.#trim();
    return pieces;
  }

  /** Finds what to replace if the text ends now, in the part that was not sent on. Throws BlockedContent. */
  *matchesAtEnd(): Work<{ readonly from: number; readonly found: readonly ReplacedMatch[] }> {
    yield* this.#searchAll(true);
    this.#blockFound();
    let from = Math.max(this.#released, this.#covered);
    for (const { start, end } of this.#found.toSorted(byPlace)) if (start < from) from = Math.max(from, end);
    return { from, found: this.#found.filter(({ start }) => start >= from) };
  }

  /** Matches that are known before their text is read. */
  expect(matches: readonly ReplacedMatch[]): void {
    this.#found.push(...matches);
  }

  *#searchAll(isEnd: boolean): Work<void> {
    for (const cursor of this.#cursors) {
      while (!this.#isSpared(cursor) && this.#search(cursor, isEnd) === "more") {
        yield;
        this.#meter.left = UNITS_AT_ONCE;
      }
    }
  }

  #blockFound(): void {
    const isBlocked = this.#cursors.some(({ filter, hasFound }) => filter.action === "block" && hasFound);
    if (isBlocked) throw new BlockedContent("The text matches a filter.");
  }

  #append(more: string): void {
    this.#readable = (this.#text += more).toWellFormed();
  }

  /** Up to where the text can go on. Throws BlockedContent. */
  #releasable(isEnd: boolean): number {
    this.#blockFound();
    if (isEnd) return this.#end;
    let release = this.#end;
    for (const { filter: { action }, decided } of this.#cursors) {
      if (action !== "flag" && decided < release) release = decided;
    }
    return this.#base + beforePair(this.#text, release - this.#base);
  }

  /** Nothing can be found without the filter's sign. */
  #isSpared(cursor: FilterCursor): boolean {
    const { filter: { filter } } = cursor;
    if (filter.sign === undefined || this.#text.includes(filter.sign)) return false;
    cursor.position = Math.max(cursor.position, this.#end - reachOf(filter, this.#options.window));
    cursor.decided = this.#end;
    return true;
  }

  /** Looks for a filter's next matches; `more` where a pause is due. */
  #search(cursor: FilterCursor, isEnd: boolean): "more" | "done" {
    const { filter } = cursor;
    const undecided = this.#firstUndecided(filter, isEnd);
    while (cursor.position < this.#end) {
      if (this.#meter.left <= 0) return "more";
      const match = this.#find(cursor);
      if (match === "more") return "more";
      if (match === "none") break;
      const [start, end] = [match.start + this.#base, match.end + this.#base];
      if (start >= undecided) break;
      if (cursor.open?.start === start) cursor.open.end = Math.max(cursor.open.end, end);
      else {
        cursor.open = undefined;
        const verdict = verdictOn(filter, { match, readable: this.#readable, isEnd, meter: this.#meter });
        if (verdict === "undecided") {
          cursor.position = cursor.decided = start;
          return "done";
        }
        if (verdict === "excepted") {
          cursor.position = end;
          continue;
        }
        if (this.#options.accepts?.(filter, { start, end }) !== false) {
          this.#add(filter, { start, end });
          cursor.hasFound = true;
        }
      }
      if (!isEnd && mayGrow(filter.filter, { match, ...this.#coming })) {
        cursor.open ??= this.#opened(filter, { start, end });
        cursor.position = start;
        cursor.decided = Math.max(start, undecided);
        return "done";
      }
      cursor.open = undefined;
      cursor.position = end;
    }
    cursor.position = Math.max(cursor.position, undecided);
    cursor.decided = Math.max(cursor.position, undecided);
    return "done";
  }

  #find(cursor: FilterCursor): TextMatch | "none" | "more" {
    const { filter: { filter }, position } = cursor;
    const from = position - this.#base;
    this.#meter.left -= UNITS_OF_MATCH;
    if (filter.search === undefined || this.#readable.length - from <= (filter.quickChars ?? 0)) {
      const match = filter.find(this.#readable, from);
      this.#meter.left -= (match?.end ?? this.#readable.length) - from;
      return match ?? "none";
    }
    cursor.search ??= filter.search(this.#readable, from);
    const found = cursor.search.run(this.#meter);
    if (found !== "more") cursor.search = undefined;
    return found;
  }

  /** Before it, all that a match could be made of has come. */
  #firstUndecided({ filter }: ActiveFilter, isEnd: boolean): number {
    return isEnd ? this.#end : this.#base + undecidedFrom(filter, this.#coming);
  }

  get #coming() {
    return { text: this.#text, readable: this.#readable, window: this.#options.window };
  }

  #add(filter: ActiveFilter, match: TextMatch): void {
    this.#options.report(filter, match);
    if (isReplaced(filter)) this.#found.push({ ...match, filter });
  }

  #opened(filter: ActiveFilter, match: TextMatch): { readonly start: number; end: number } {
    const last = this.#found.at(-1);
    return isReplaced(filter) && last?.start === match.start ? last : { ...match };
  }

  /** Releases the text up to an offset as it is, where nothing is replaced. */
  #pass(to: number): readonly ScannedPiece[] {
    const pieces = this.#passed(this.#released, to);
    this.#released = Math.max(this.#released, to);
    return pieces;
  }

  #passed(start: number, end: number): ScannedPiece[] {
    if (end <= start) return [];
    const text = this.#text.slice(start - this.#base, end - this.#base);
    return [{ start, end, text, isReplaced: false }];
  }

  *#replace(decided: number, isEnd: boolean): Work<readonly ScannedPiece[]> {
    const groups = yield* groupMatches(this.#found);
    const to = isEnd ? decided : this.#beforeOpenMask(decided, groups);
    const pieces: ScannedPiece[] = [];
    let position = this.#released;
    const pass = (end: number) => {
      pieces.push(...this.#passed(position, end));
      position = Math.max(position, end);
    };
    const left: ReplacedMatch[] = [];
    for (const [at, group] of groups.entries()) {
      if (at % GROUPS_AT_ONCE === GROUPS_AT_ONCE - 1) yield;
      const { start, end, matches } = group;
      if (start < to) {
        if (start >= this.#covered) {
          pass(start);
          pieces.push({ start, end: Math.min(end, to), text: this.#placeholder(group), isReplaced: true });
        }
        this.#covered = Math.max(this.#covered, end);
        position = Math.max(position, Math.min(this.#covered, to));
      }
      // It may grow while its text comes.
      for (const match of matches) if (start >= to || match.end > to || this.#isOpen(match)) left.push(match);
    }
    pass(to);
    this.#released = Math.max(position, to);
    this.#found = left;
    return pieces;
  }

  #isOpen(match: ReplacedMatch): boolean {
    return this.#cursors.some(({ open }) => open === match);
  }

  /** A text that comes back to the client is replaced when it is there as a whole. */
  #beforeOpenMask(to: number, groups: readonly ReplacedGroup[]): number {
    if (!this.#masks) return to;
    const isLate = (match: ReplacedMatch) => match.end > to || this.#isOpen(match);
    const open = groups.find((group) => isMasked(group) && group.matches.some(isLate));
    return open === undefined ? to : Math.min(open.start, to);
  }

  #placeholder(group: ReplacedGroup): string {
    const textAt = (start: number, end: number) => this.#text.slice(start - this.#base, end - this.#base);
    return placeholderFor(group, { ...this.#options, textAt });
  }

  #trim(): void {
    const [readable, released, least] = [this.#readable, this.#released, this.#base + TRIM];
    const keep = keptFrom(this.#cursors, { readable, released, least });
    if (keep < least) return;
    this.#text = this.#text.slice(keep - this.#base);
    this.#readable = this.#readable.slice(keep - this.#base);
    this.#base = keep;
  }
}
