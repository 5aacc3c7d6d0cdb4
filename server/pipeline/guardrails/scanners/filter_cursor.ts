/** How far one filter has read a text. */

import type { ActiveFilter } from "../content_filters.ts";
import type { TextFilter, TextMatch, TextSearch, WorkMeter } from "../text_filter.ts";
import { lastSpaceEnd } from "./text_positions.ts";

export interface FilterCursor {
  readonly filter: ActiveFilter;
  /** Where the next search begins. */
  position: number;
  /** No match begins before it that is not known. */
  decided: number;
  hasFound: boolean;
  /** The search that goes on after a pause. */
  search?: TextSearch;
  /** A match that reaches the end of what has come, and may go on. */
  open?: { readonly start: number; end: number };
}

/** Code units in which it is known whether there is a match. */
export const reachOf = ({ maxMatch, lookAhead }: TextFilter, window: number): number =>
  Math.min(maxMatch ?? window, window) + lookAhead;

interface ComingText {
  readonly text: string;
  /** The same with whole characters only. */
  readonly readable: string;
  readonly window: number;
}

/** Before it, all that a match could be made of has come. */
export function undecidedFrom(filter: TextFilter, { text, readable, window }: ComingText): number {
  const undecided = Math.max(0, text.length - reachOf(filter, window) + 1);
  const known = filter.undecidedFrom?.(readable);
  if (known !== undefined) return Math.max(undecided, known);
  if (filter.spansSpace) return undecided;
  return Math.max(undecided, lastSpaceEnd(text, { from: undecided, lookAhead: filter.lookAhead }));
}

interface ComingMatch extends ComingText {
  readonly match: TextMatch;
}

/** A match without a bound is followed for so long, and counts as another one from there. */
const LONGEST_OPEN = 16_384;

/** Whether a match that had to be decided before its time is still coming. */
export function mayGrow(
  filter: TextFilter,
  { match: { start, end }, readable, window }: ComingMatch,
): boolean {
  if ((filter.maxMatch ?? Infinity) <= window || end - start >= LONGEST_OPEN) return false;
  const undecided = filter.undecidedFrom?.(readable);
  if (undecided !== undefined) return undecided <= start;
  return end >= (filter.settled?.(readable) ?? readable.length);
}

interface JudgedMatch {
  readonly match: TextMatch;
  readonly readable: string;
  readonly isEnd: boolean;
  readonly meter: WorkMeter;
}

/** Whether a match counts: it does not within an exception, which may go on behind it. */
export function verdictOn(
  { exceptions }: ActiveFilter,
  { match, readable, isEnd, meter }: JudgedMatch,
): "counts" | "undecided" | "excepted" {
  if (exceptions === undefined || match.end - match.start > exceptions.reach) return "counts";
  if (!isEnd && exceptions.needsMore(readable, match.end)) return "undecided";
  return exceptions.cover(readable, { ...match, meter }) ? "excepted" : "counts";
}

interface KeptText {
  /** With whole characters only. */
  readonly readable: string;
  readonly released: number;
  /** Less need not be known. */
  readonly least: number;
}

/** Position from which the text is kept. Filters do not look at the text before it any more. */
export function keptFrom(
  cursors: readonly FilterCursor[],
  { readable, released, least }: KeptText,
): number {
  if (released < least) return released;
  const keptBy = (widthIn: (filter: TextFilter) => number) =>
    cursors.reduce(
      (kept, { filter: { filter, exceptions }, position }) =>
        Math.min(kept, position - Math.max(filter.lookBehind * widthIn(filter), exceptions?.reach ?? 0)),
      released,
    );
  const kept = keptBy(() => 1);
  // Where a character is written with more code units, what announces a match stands further before it.
  return kept < least ? kept : keptBy((filter) => filter.longestIn?.(readable) ?? 1);
}
