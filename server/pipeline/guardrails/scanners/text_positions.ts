/** Places in texts at which they may be cut. */

import type { TextMatch } from "../text_filter.ts";

/** The first to begin, and the longest of those. */
export const byPlace = (one: TextMatch, other: TextMatch): number =>
  one.start - other.start || other.end - one.end;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** The offset, or the one before it where it is between the two halves of a character. */
export function beforePair(text: string, offset: number): number {
  const isSplit = isHighSurrogate(text.charCodeAt(offset - 1)) && isLowSurrogate(text.charCodeAt(offset));
  return isSplit ? offset - 1 : offset;
}

/** Behind the last white space after which `lookAhead` code units have come; `from` where there is none. */
export function lastSpaceEnd(
  text: string,
  { from, lookAhead }: { readonly from: number; readonly lookAhead: number },
): number {
  for (let offset = text.length - Math.max(lookAhead, 1); offset >= from; offset--) {
    const unit = text.charCodeAt(offset);
    if (unit === 32 || (unit >= 9 && unit <= 13)) return offset + 1;
  }
  return from;
}
