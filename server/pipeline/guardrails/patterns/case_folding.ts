/** Letters that differ in their case only, as JavaScript's flags `i` and `u` together take them. */

import { type CodePointRanges, mergeRanges } from "../code_points.ts";

/** The letters of Unicode that have a case end before it. */
const LAST_CASED = 0x1ffff;
/** Above so many members a set is walked by the table, not member by member. */
const MANY = 4_096;

let table: ReadonlyMap<number, readonly number[]> | undefined;

/** By code point, all that it equals without regard to case, itself included. Made once, in about 30 ms. */
function cases(): ReadonlyMap<number, readonly number[]> {
  return table ??= makeTable();
}

function makeTable(): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (let codePoint = 0; codePoint <= LAST_CASED; codePoint++) {
    const char = String.fromCodePoint(codePoint);
    const upper = char.toUpperCase();
    if (upper === char && char.toLowerCase() === char) continue;
    // Some letters become two, as the sharp s.
    const key = (upper.length === char.length ? upper : char).toLowerCase();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [codePoint]);
    else group.push(codePoint);
  }
  const found = new Map<number, readonly number[]>();
  for (const group of groups.values()) {
    for (const one of group) {
      const same = sameAs(one, group);
      if (same.length > 1) found.set(one, same);
    }
  }
  return found;
}

/** Some letters become another by `toUpperCase` that regular expressions tell apart, as the dotless i. */
function sameAs(codePoint: number, group: readonly number[]): readonly number[] {
  const member = new RegExp(`^\\u{${codePoint.toString(16)}}$`, "iu");
  return group.filter((other) => other === codePoint || member.test(String.fromCodePoint(other)));
}

/** A set with the other cases of its members. */
export function withOtherCases(ranges: CodePointRanges): CodePointRanges {
  const added: [number, number][] = [];
  const add = (codePoint: number) => {
    for (const other of cases().get(codePoint) ?? []) added.push([other, other]);
  };
  const isLarge = ranges.reduce((sum, [first, last]) => sum + last - first, 0) > MANY;
  if (isLarge) {
    for (const codePoint of cases().keys()) {
      if (ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) add(codePoint);
    }
  } else {
    for (const [first, last] of ranges) {
      for (let codePoint = first; codePoint <= last; codePoint++) add(codePoint);
    }
  }
  return added.length === 0 ? ranges : mergeRanges([...ranges, ...added]);
}
