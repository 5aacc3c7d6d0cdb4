/** The code points that a pattern tells apart, as classes: a few dozen numbers instead of a million. */

import { type CodePointRanges, lineTerminators, wordCharacters } from "../code_points.ts";

/** Bits that assertions read of a place's neighbour. */
export const WORD = 1;
export const LINE_END = 2;
/** The text begins or ends here. */
export const EDGE = 4;
/** Letters, marks and digits of any script, where they are asked for. */
export const LETTER = 8;

/** Classes in order, first and last; a set of code points is a list of such. */
export type ClassRanges = readonly (readonly [first: number, last: number])[];

const SMALL = 0x250;
/** Set memberships that are looked at to find out which intervals no set tells apart. */
const MOST_MERGED = 4_000_000;

export class Alphabet {
  readonly size: number;
  /** By class: WORD, LINE_END, LETTER. */
  readonly kinds: Uint8Array;
  /** First code points of intervals, and the class of each. */
  readonly #starts: Int32Array;
  readonly #classes: Uint16Array | Uint32Array;
  readonly #small: Uint32Array;

  constructor(sets: readonly CodePointRanges[], letters: CodePointRanges = []) {
    const all = [...sets, wordCharacters, lineTerminators, letters];
    this.#starts = startsOf(all);
    const intervals = this.#starts.length;
    const isMerged = all.length * intervals <= MOST_MERGED;
    const { classes, size } = isMerged ? this.#merged(all) : {
      classes: Uint32Array.from({ length: intervals }, (_, interval) => interval),
      size: intervals,
    };
    this.#classes = classes;
    this.size = size;
    this.#small = Uint32Array.from({ length: SMALL }, (_, codePoint) => this.#find(codePoint));
    this.kinds = new Uint8Array(size);
    this.#mark(wordCharacters, WORD);
    this.#mark(lineTerminators, LINE_END);
    this.#mark(letters, LETTER);
  }

  classOf(codePoint: number): number {
    return codePoint < SMALL ? this.#small[codePoint] ?? 0 : this.#find(codePoint);
  }

  /** The classes of a set that the alphabet was made of. */
  classesOf(set: CodePointRanges): ClassRanges {
    const members = new Set<number>();
    for (const [first, last] of set) {
      for (let at = this.#intervalOf(first); at < this.#starts.length; at++) {
        if ((this.#starts[at] ?? 0) > last) break;
        members.add(this.#classes[at] ?? 0);
      }
    }
    const ranges: [number, number][] = [];
    for (const one of [...members].sort((a, b) => a - b)) {
      const before = ranges.at(-1);
      if (before?.[1] === one - 1) before[1] = one;
      else ranges.push([one, one]);
    }
    return ranges;
  }

  #mark(set: CodePointRanges, kind: number): void {
    for (const [first, last] of this.classesOf(set)) {
      for (let one = first; one <= last; one++) this.kinds[one] = (this.kinds[one] ?? 0) | kind;
    }
  }

  #find(codePoint: number): number {
    return this.#classes[this.#intervalOf(codePoint)] ?? 0;
  }

  #intervalOf(codePoint: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= codePoint) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Intervals that are in the same sets are one class. */
  #merged(sets: readonly CodePointRanges[]) {
    const classes = new Uint32Array(this.#starts.length);
    let size = 1;
    for (const set of sets) {
      const split = new Map<number, number>();
      for (const [first, last] of set) {
        for (let at = this.#intervalOf(first); at < classes.length; at++) {
          if ((this.#starts[at] ?? 0) > last) break;
          const old = classes[at] ?? 0;
          let own = split.get(old);
          if (own === undefined) split.set(old, own = size++);
          classes[at] = own;
        }
      }
    }
    return renumbered(classes);
  }
}

function startsOf(sets: readonly CodePointRanges[]): Int32Array {
  const starts = new Set([0]);
  for (const set of sets) {
    for (const [first, last] of set) starts.add(first).add(last + 1);
  }
  return Int32Array.from([...starts].sort((a, b) => a - b));
}

function renumbered(classes: Uint32Array): { readonly classes: Uint32Array; readonly size: number } {
  const numbers = new Map<number, number>();
  const own = classes.map((one) => {
    let number = numbers.get(one);
    if (number === undefined) numbers.set(one, number = numbers.size);
    return number;
  });
  return { classes: own, size: numbers.size };
}
