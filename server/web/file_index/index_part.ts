/** Index of a part of a file: its text, the pieces that a search finds, and which words stand in which of them. */

import * as z from "zod";

/** Another number: indexes of before are made anew. */
export const INDEX_VERSION = 2;

const pieceSchema = z.strictObject({
  /** UTF-16 units from the beginning of the part. */
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Number of words. */
  words: z.int().nonnegative(),
  /** Headings above it, the outermost first, in one text. */
  heading: z.string().optional(),
});
export type Piece = z.output<typeof pieceSchema>;

export const indexPartSchema = z.strictObject({
  text: z.string(),
  pieces: z.array(pieceSchema),
  /** Sorted, a line each. */
  terms: z.string(),
  /** For each term the number of pieces that have it, and the distance to and count in each: numbers of 7 bits a byte. */
  counts: z.base64(),
});
export type IndexPart = z.output<typeof indexPartSchema>;

/** How often a word stands in a piece. */
export interface PieceCount {
  readonly piece: number;
  readonly count: number;
}

export interface CountedTerm {
  readonly term: string;
  /** By piece, ascending. */
  readonly counts: readonly PieceCount[];
}

/** Terms in the order of their text. */
export function encodeTerms(counted: readonly CountedTerm[]): Pick<IndexPart, "terms" | "counts"> {
  const bytes: number[] = [];
  for (const { counts } of counted) {
    writeNumber(bytes, counts.length);
    let last = 0;
    for (const { piece, count } of counts) {
      writeNumber(bytes, piece - last);
      writeNumber(bytes, count);
      last = piece;
    }
  }
  return { terms: counted.map(({ term }) => term).join("\n"), counts: Uint8Array.from(bytes).toBase64() };
}

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push(rest & 0x7f | 0x80);
  bytes.push(rest);
}

/** Most terms that begin with a word, or end with it. */
const MOST_LONGER = 100;
/** Letters of a word whose longer forms are looked for, and of the parts that a word is put together of. */
const SHORTEST_PREFIX = 4;
/** Letters of a word that is looked for at the end of longer ones: shorter ones end many that have nothing to do with it. */
const SHORTEST_ENDING = 5;
/** Bytes that a term takes in memory besides its letters. */
const TERM_BYTES = 56;

/** A word as it is looked up in many tables. */
export interface Lookup {
  readonly word: string;
  /** Its first letters, by which terms are grouped. */
  readonly key: string;
}

export const lookupOf = (word: string): Lookup => ({ word, key: keyOf(word) });

export const keyOf = (word: string): string => word.slice(0, SHORTEST_PREFIX);

/** Whether a term is the word or a longer form of it. */
export const isLonger = (term: string, { word }: Lookup): boolean =>
  term === word || (word.length >= SHORTEST_PREFIX && term.startsWith(word));

/** Looks words up in the index of a part. */
export class TermTable {
  /** A line each. */
  readonly #text: string;
  readonly #terms: readonly string[];
  readonly #counts: Uint8Array;
  /** Where the counts of each term begin. */
  readonly #starts: Uint32Array;
  /** Position of the first term with these first letters. */
  readonly #groups = new Map<string, number>();
  /** Bytes in memory, about. */
  readonly size: number;

  /** Throws a RangeError where terms and counts do not fit. */
  constructor({ terms, counts }: Pick<IndexPart, "terms" | "counts">) {
    this.#text = `${terms}\n`;
    this.#terms = terms === "" ? [] : terms.split("\n");
    this.#counts = Uint8Array.fromBase64(counts);
    this.#starts = new Uint32Array(this.#terms.length);
    const reader = new NumberReader(this.#counts);
    for (const [at, term] of this.#terms.entries()) {
      const key = keyOf(term);
      if (!this.#groups.has(key)) this.#groups.set(key, at);
      this.#starts[at] = reader.position;
      for (let left = 2 * reader.next(); left > 0; left--) reader.next();
    }
    this.size = 2 * terms.length + this.#terms.length * TERM_BYTES + this.#counts.length;
  }

  /** The word itself and longer ones that begin with it. */
  longer(lookup: Lookup): readonly CountedTerm[] {
    const found: CountedTerm[] = [];
    for (let at = this.#find(lookup); at !== undefined && found.length < MOST_LONGER; at++) {
      const term = this.#terms[at];
      if (term === undefined || !isLonger(term, lookup)) break;
      found.push({ term, counts: this.#countsAt(at) });
    }
    return found;
  }

  /** Longer words that end with the word. */
  ending({ word }: Lookup): readonly CountedTerm[] {
    if (word.length < SHORTEST_ENDING) return [];
    const found: CountedTerm[] = [];
    const line = `${word}\n`;
    for (let at = this.#text.indexOf(line); at >= 0 && found.length < MOST_LONGER;) {
      const term = this.#text.slice(this.#text.lastIndexOf("\n", at) + 1, at + word.length);
      if (term !== word) found.push(...this.exact(lookupOf(term)));
      at = this.#text.indexOf(line, at + 1);
    }
    return found;
  }

  /** The word itself. */
  exact(lookup: Lookup): readonly CountedTerm[] {
    const at = this.#find(lookup);
    if (at === undefined || this.#terms[at] !== lookup.word) return [];
    return [{ term: lookup.word, counts: this.#countsAt(at) }];
  }

  /** Position of the first term of its group that is not before the word. */
  #find({ word, key }: Lookup): number | undefined {
    let at = this.#groups.get(key);
    while (at !== undefined && at < this.#terms.length && (this.#terms[at] ?? "") < word) at++;
    return at;
  }

  #countsAt(at: number): readonly PieceCount[] {
    const reader = new NumberReader(this.#counts, this.#starts[at]);
    let piece = 0;
    return Array.from({ length: reader.next() }, () => {
      piece += reader.next();
      return { piece, count: reader.next() };
    });
  }
}

class NumberReader {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  /** Throws a RangeError behind the end. */
  next(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = this.#bytes[this.position++];
      if (byte === undefined || shift > 28) throw new RangeError("The index of a file is damaged");
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}

/** Parts of a word of several, from its beginning and from its end: `frist` of `kuendigungsfrist`. */
export function partsOf(word: string): readonly string[] {
  const parts = new Set<string>();
  for (let length = SHORTEST_PREFIX; length < word.length; length++) {
    parts.add(word.slice(0, length)).add(word.slice(word.length - length));
  }
  return word.length < 2 * SHORTEST_PREFIX ? [] : [...parts];
}
