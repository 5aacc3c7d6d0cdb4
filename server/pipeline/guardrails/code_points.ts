/** Sets of code points as sorted ranges that do not touch: `[[48, 57]]` are the digits. */

export type CodePointRanges = readonly (readonly [first: number, last: number])[];

const LAST = 0x10ffff;
const FIRST_ASTRAL = 0x10000;

/** The union of ranges in any order. */
export function mergeRanges(ranges: CodePointRanges): CodePointRanges {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

export function invertRanges(ranges: CodePointRanges): CodePointRanges {
  const inverted: [number, number][] = [];
  let next = 0;
  for (const [first, last] of mergeRanges(ranges)) {
    if (first > next) inverted.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) inverted.push([next, LAST]);
  return inverted;
}

export const containsAny = (ranges: CodePointRanges, others: CodePointRanges): boolean =>
  ranges.some(([first, last]) => others.some((other) => first <= other[1] && other[0] <= last));

/** Code units of the longest member. */
export const unitsOf = (ranges: CodePointRanges): number =>
  ranges.some(([, last]) => last >= FIRST_ASTRAL) ? 2 : 1;

export const digits: CodePointRanges = [[48, 57]];
export const wordCharacters: CodePointRanges = [[48, 57], [65, 90], [95, 95], [97, 122]];
/** Characters that `\s` matches in JavaScript. */
export const spaces: CodePointRanges = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** Characters that `.` does not match without the flag `s`. */
export const lineTerminators: CodePointRanges = [[10, 10], [13, 13], [0x2028, 0x2029]];

const properties = new Map<string, CodePointRanges>();
const MOST_PROPERTIES = 200;

/** The members of `\p{…}`, which is written as in a pattern. Looks at every code point once. */
export function propertyRanges(property: string): CodePointRanges {
  const known = properties.get(property);
  if (known !== undefined) return known;
  const member = new RegExp(`^${property}$`, "u");
  const ranges: [number, number][] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint++) {
    if (!member.test(String.fromCodePoint(codePoint))) continue;
    const before = ranges.at(-1);
    if (before?.[1] === codePoint - 1) before[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  if (properties.size >= MOST_PROPERTIES) properties.clear();
  properties.set(property, ranges);
  return ranges;
}

/** Splits what is one code unit long from what is two. */
export function splitAstral(ranges: CodePointRanges): {
  readonly units: CodePointRanges;
  readonly astral: CodePointRanges;
} {
  const units = ranges.filter(([first]) => first < FIRST_ASTRAL)
    .map(([first, last]) => [first, Math.min(last, FIRST_ASTRAL - 1)] as const);
  const astral = ranges.filter(([, last]) => last >= FIRST_ASTRAL)
    .map(([first, last]) => [Math.max(first, FIRST_ASTRAL), last] as const);
  return { units, astral };
}

/** Whether these are all code points of two units. */
export const isAllAstral = (ranges: CodePointRanges): boolean =>
  ranges.length === 1 && ranges[0]?.[0] === FIRST_ASTRAL && ranges[0][1] === LAST;
