/**
 * Ranks the pieces of many files by BM25. The words of a query are looked up in the index of each file; what was found
 * of a word makes a small index of all files together, which ranks as if it had the whole of their texts.
 */

import MiniSearch from "minisearch";
import type { Work } from "../../../../shared/util/run_work.ts";
import { type CountedTerm, partsOf, SHORTEST_PREFIX } from "../../../web/file_index/index_part.ts";
import { wordsOf } from "../../../web/file_index/words.ts";
import type { FileIndex, SearchedPart } from "./file_index.ts";

/** A file with its index. */
export interface IndexedFile<File> {
  readonly file: File;
  readonly name: string;
  readonly index: FileIndex;
}

export interface Passage<File> {
  readonly file: File;
  readonly text: string;
  /** Headings above it. */
  readonly heading: string | undefined;
  /** UTF-16 units of the file's text. */
  readonly start: number;
  readonly end: number;
  /** Share of the query's words that it has, weighed by how rare they are: from 0 to 1. */
  readonly score: number;
}

/** UTF-16 units of a query, and its words. */
const LONGEST_QUERY = 2_000;
const MOST_WORDS = 32;
/** A word that stands in more of all pieces than this says nothing, where there are many pieces. */
const COMMON_SHARE = 0.6;
const MANY_PIECES = 200;
/** How much a part of a word counts beside the word. */
const PART_WEIGHT = 0.4;
const NAME_WEIGHT = 1.5;
/** As MiniSearch has them: the most that a word brings is its rarity times the sum of `k + 1` and `d`. */
const BM25 = { k: 1.2, b: 0.7, d: 0.5 };

const TEXT = 0;
const NAME = 1;

/** The distinct words of a query, and whether it has more. */
export function queryWords(query: string): { readonly words: readonly string[]; readonly isCut: boolean } {
  const words = new Set<string>();
  for (const word of wordsOf(query.slice(0, LONGEST_QUERY))) {
    if (words.size === MOST_WORDS) return { words: [...words], isCut: true };
    words.add(word);
  }
  return { words: [...words], isCut: query.length > LONGEST_QUERY };
}

interface PieceFacts<File> {
  readonly indexed: IndexedFile<File>;
  readonly part: SearchedPart;
  readonly piece: number;
}

/** Where a term stands: how often in which piece, in texts and in names of files. */
interface TermPlaces {
  readonly text: Map<number, number>;
  readonly name: Map<number, number>;
}

interface RankInput {
  readonly queries: readonly string[];
  readonly most: number;
  readonly threshold: number;
}

export class PassageIndex<File> {
  readonly #pieces: PieceFacts<File>[] = [];
  readonly #files: readonly IndexedFile<File>[];
  /** Words of the text and of the name of each piece, and on average. */
  readonly #lengths: (readonly [number, number])[] = [];
  #averages: readonly [number, number] = [1, 1];
  readonly #names = new Map<IndexedFile<File>, readonly string[]>();
  /** Number of the first piece of each part. */
  readonly #firsts = new Map<SearchedPart, number>();

  private constructor(files: readonly IndexedFile<File>[]) {
    this.#files = files;
  }

  static *of<File>(files: readonly IndexedFile<File>[]): Work<PassageIndex<File>> {
    const index = new PassageIndex(files);
    for (const indexed of files) {
      index.#add(indexed);
      yield;
    }
    index.#averages = averagesOf(index.#lengths);
    return index;
  }

  #add(indexed: IndexedFile<File>): void {
    const names = [...wordsOf(`${indexed.name} ${indexed.index.title ?? ""}`)];
    this.#names.set(indexed, names);
    for (const part of indexed.index.parts) {
      this.#firsts.set(part, this.#pieces.length);
      for (const [piece, { words }] of part.pieces.entries()) {
        this.#pieces.push({ indexed, part, piece });
        this.#lengths.push([words, names.length]);
      }
    }
  }

  /** Best first; of several queries, the best score of each piece. */
  *rank({ queries, most, threshold }: RankInput): Work<readonly Passage<File>[]> {
    const best = new Map<number, number>();
    for (const query of new Set(queries)) {
      const scores = yield* this.#scoresOf(queryWords(query).words);
      for (const [piece, score] of scores) best.set(piece, Math.max(score, best.get(piece) ?? 0));
      yield;
    }
    const ranked = [...best].filter(([, score]) => score > 0 && score >= threshold)
      .sort(([one, high], [other, low]) => low - high || one - other);
    return ranked.slice(0, most).flatMap(([at, score]) => this.#passageAt(at, score));
  }

  *#scoresOf(words: readonly string[]): Work<ReadonlyMap<number, number>> {
    const found: WordScores[] = [];
    for (const word of words) found.push(yield* this.#findWord(word));
    const isCommon = ({ scores }: WordScores) =>
      this.#pieces.length >= MANY_PIECES && scores.size > COMMON_SHARE * this.#pieces.length;
    const telling = found.filter((one) => !isCommon(one));
    const used = telling.some(({ scores }) => scores.size > 0) ? telling : found;
    const most = used.reduce((sum, one) => sum + one.most, 0);
    const sums = new Map<number, number>();
    for (const { scores } of used) {
      for (const [piece, score] of scores) sums.set(piece, (sums.get(piece) ?? 0) + score / most);
      yield;
    }
    for (const [piece, score] of sums) sums.set(piece, Math.min(1, score));
    return sums;
  }

  *#findWord(word: string): Work<WordScores> {
    const terms = new Map<string, TermPlaces>();
    const parts = partsOf(word);
    for (const indexed of this.#files) {
      this.#findInName(word, { indexed, terms, parts });
      for (const part of indexed.index.parts) {
        const own = [...part.terms.longer(word), ...parts.flatMap((one) => part.terms.find(one) ?? [])];
        for (const counted of own) this.#addPlaces(counted, { part, terms });
      }
      yield;
    }
    return this.#scoreWord(word, { terms, parts });
  }

  #findInName(word: string, { indexed, terms, parts }: NameSearch<File>): void {
    for (const name of this.#names.get(indexed) ?? []) {
      if (!isLonger(name, word) && !parts.includes(name)) continue;
      for (const part of indexed.index.parts) {
        const first = this.#firsts.get(part) ?? 0;
        for (let at = 0; at < part.pieces.length; at++) placesOf(terms, name).name.set(first + at, 1);
      }
    }
  }

  #addPlaces({ term, counts }: CountedTerm, { part, terms }: PartSearch): void {
    const first = this.#firsts.get(part) ?? 0;
    const { text } = placesOf(terms, term);
    for (const { piece, count } of counts) text.set(first + piece, count);
  }

  #scoreWord(word: string, { terms, parts }: FoundTerms): WordScores {
    const places = [...terms.values()];
    const pieces = [...new Set(places.flatMap(({ text, name }) => [...text.keys(), ...name.keys()]))];
    const index = MiniSearch.loadJS<{ readonly id: number }>({
      documentCount: this.#pieces.length,
      nextId: this.#pieces.length,
      documentIds: Object.fromEntries(pieces.map((piece) => [piece, piece])),
      fieldIds: { text: TEXT, name: NAME },
      fieldLength: Object.fromEntries(pieces.map((piece) => [piece, [...this.#lengths[piece] ?? []]])),
      averageFieldLength: [...this.#averages],
      storedFields: {},
      index: [...terms].map(([term, { text, name }]) => [term, {
        [TEXT]: Object.fromEntries(text),
        [NAME]: Object.fromEntries(name),
      }]),
      serializationVersion: 2,
    }, { fields: ["text", "name"], tokenize: (text) => [text], processTerm: (term) => term });
    const own = index.search(word, { ...searching, prefix: true });
    const scores = new Map(own.map(({ id, score }) => [Number(id), score]));
    for (const part of parts.filter((one) => terms.has(one))) {
      for (const { id, score } of index.search(part, searching)) {
        // The best of the word's forms counts, so that a text is not taken for more words than it has.
        scores.set(Number(id), Math.max(scores.get(Number(id)) ?? 0, PART_WEIGHT * score));
      }
    }
    const rarity = Math.log(1 + (this.#pieces.length - scores.size + 0.5) / (scores.size + 0.5));
    return { scores, most: rarity * (BM25.d + BM25.k + 1) };
  }

  #passageAt(at: number, score: number): readonly Passage<File>[] {
    const { indexed, part, piece } = this.#pieces[at] ?? {};
    const span = part?.pieces[piece ?? 0];
    if (indexed === undefined || part === undefined || span === undefined) return [];
    return [{
      file: indexed.file,
      text: part.text.slice(span.start, span.end),
      heading: span.heading,
      start: part.offset + span.start,
      end: part.offset + span.end,
      score,
    }];
  }
}

function averagesOf(lengths: readonly (readonly [number, number])[]): readonly [number, number] {
  const average = (at: 0 | 1) => lengths.reduce((total, one) => total + one[at], 0) / lengths.length;
  return lengths.length === 0 ? [1, 1] : [Math.max(1, average(0)), Math.max(1, average(1))];
}

const isLonger = (name: string, word: string): boolean =>
  name === word || (word.length >= SHORTEST_PREFIX && name.startsWith(word));

const searching = { boost: { name: NAME_WEIGHT }, bm25: BM25 };

function placesOf(terms: Map<string, TermPlaces>, term: string): TermPlaces {
  const found = terms.get(term) ?? { text: new Map(), name: new Map() };
  terms.set(term, found);
  return found;
}

interface PartSearch {
  readonly part: SearchedPart;
  readonly terms: Map<string, TermPlaces>;
}

interface NameSearch<File> {
  readonly indexed: IndexedFile<File>;
  readonly terms: Map<string, TermPlaces>;
  readonly parts: readonly string[];
}

interface FoundTerms {
  readonly terms: ReadonlyMap<string, TermPlaces>;
  readonly parts: readonly string[];
}

interface WordScores {
  /** By the number of the piece. */
  readonly scores: ReadonlyMap<number, number>;
  /** The most that the word can bring. */
  readonly most: number;
}
