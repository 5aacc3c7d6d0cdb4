/**
 * Ranks the pieces of many files by BM25. The words of a query are looked up in the index of each file; what was found
 * of a word makes a small index of all files together, which ranks as if it had the whole of their texts.
 */

import MiniSearch from "minisearch";
import type { Work } from "../../../../shared/util/run_work.ts";
import {
  type CountedTerm,
  isLonger,
  keyOf,
  type Lookup,
  lookupOf,
  partsOf,
} from "../../../web/file_index/index_part.ts";
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
const COMMON_SHARE = 0.25;
const MANY_PIECES = 200;
/** Common words that are searched for where a query has no others. */
const MOST_COMMON = 4;
/** Parts of files that are looked into before a pause is offered. */
const PARTS_AT_ONCE = 16;
/** How much a longer word, and a part of it, counts beside the word: compounds and their parts say much the same. */
const PART_WEIGHT = 0.6;
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

/** A word in the names of files. */
interface NameWord<File> {
  readonly word: string;
  readonly indexed: IndexedFile<File>;
}

export class PassageIndex<File> {
  readonly #pieces: PieceFacts<File>[] = [];
  readonly #files: readonly IndexedFile<File>[];
  /** Words of the text and of the name of each piece, and on average. */
  readonly #lengths: (readonly [number, number])[] = [];
  #averages: readonly [number, number] = [1, 1];
  /** By their first letters. */
  readonly #names = new Map<string, NameWord<File>[]>();
  /** Number of the first piece of each part. */
  readonly #firsts = new Map<SearchedPart, number>();

  private constructor(files: readonly IndexedFile<File>[]) {
    this.#files = files;
  }

  static *of<File>(files: readonly IndexedFile<File>[]): Work<PassageIndex<File>> {
    const index = new PassageIndex(files);
    for (const indexed of files) yield* index.#add(indexed);
    index.#averages = averagesOf(index.#lengths);
    return index;
  }

  *#add(indexed: IndexedFile<File>): Work<void> {
    const names = new Set(wordsOf(`${indexed.name} ${indexed.index.title ?? ""}`));
    for (const word of names) {
      const key = keyOf(word);
      const group = this.#names.get(key);
      if (group === undefined) this.#names.set(key, [{ word, indexed }]);
      else group.push({ word, indexed });
    }
    for (const part of indexed.index.parts) {
      this.#firsts.set(part, this.#pieces.length);
      for (const [piece, { words }] of part.pieces.entries()) {
        this.#pieces.push({ indexed, part, piece });
        this.#lengths.push([words, names.size]);
      }
      yield;
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
    const commonFrom = this.#pieces.length < MANY_PIECES ? Infinity : COMMON_SHARE * this.#pieces.length;
    const found = yield* this.#findWords(words, commonFrom);
    // A query may have common words only.
    const used = found.some(({ scores }) => scores.size > 0)
      ? found
      : yield* this.#findWords(words.slice(0, MOST_COMMON), Infinity);
    const most = used.reduce((sum, one) => sum + one.most, 0);
    const sums = new Map<number, number>();
    for (const { scores } of used) {
      for (const [piece, score] of scores) sums.set(piece, (sums.get(piece) ?? 0) + score / most);
      yield;
    }
    for (const [piece, score] of sums) sums.set(piece, Math.min(1, score));
    return sums;
  }

  /** Words that stand in more pieces than that are left out. */
  *#findWords(words: readonly string[], commonFrom: number): Work<readonly WordScores[]> {
    const found: WordScores[] = [];
    for (const word of words) {
      const scores = yield* this.#findWord(word, commonFrom);
      if (scores !== undefined) found.push(scores);
    }
    return found;
  }

  /** Undefined for a common word. */
  *#findWord(word: string, commonFrom: number): Work<WordScores | undefined> {
    const terms = new Map<string, TermPlaces>();
    const lookup = lookupOf(word);
    const parts = partsOf(word).map(lookupOf);
    const endings = new Set<string>();
    let looked = 0;
    for (const { index } of this.#files) {
      for (const part of index.parts) {
        if (++looked % PARTS_AT_ONCE === 0) yield;
        for (const counted of part.terms.longer(lookup)) this.#addPlaces(counted, { part, terms });
        for (const counted of part.terms.ending(lookup)) {
          endings.add(counted.term);
          this.#addPlaces(counted, { part, terms });
        }
        for (const one of parts) {
          for (const counted of part.terms.exact(one)) this.#addPlaces(counted, { part, terms });
        }
      }
      if ((terms.get(word)?.text.size ?? 0) > commonFrom) return undefined;
    }
    this.#findInNames(lookup, { terms, parts, commonFrom });
    yield;
    return this.#scoreWord(word, { terms, related: [...parts.map((one) => one.word), ...endings] });
  }

  /** A word in the names of many files says nothing either. */
  #findInNames(lookup: Lookup, { terms, parts, commonFrom }: NameSearch): void {
    for (const one of [lookup, ...parts]) {
      const named = (this.#names.get(one.key) ?? [])
        .filter(({ word }) => one === lookup ? isLonger(word, lookup) : word === one.word);
      if (named.length > commonFrom) continue;
      for (const { word, indexed } of named) {
        for (const part of indexed.index.parts) {
          const first = this.#firsts.get(part) ?? 0;
          for (let at = 0; at < part.pieces.length; at++) placesOf(terms, word).name.set(first + at, 1);
        }
      }
    }
  }

  #addPlaces({ term, counts }: CountedTerm, { part, terms }: PartSearch): void {
    const first = this.#firsts.get(part) ?? 0;
    const { text } = placesOf(terms, term);
    for (const { piece, count } of counts) text.set(first + piece, count);
  }

  #scoreWord(word: string, { terms, related }: FoundTerms): WordScores {
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
    for (const term of related) {
      if (!terms.has(term)) continue;
      for (const { id, score } of index.search(term, searching)) {
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

/** No other spelling is looked for, so its weight is none. */
const searching = { boost: { name: NAME_WEIGHT }, bm25: BM25, weights: { prefix: PART_WEIGHT, fuzzy: 0 } };

function placesOf(terms: Map<string, TermPlaces>, term: string): TermPlaces {
  const found = terms.get(term) ?? { text: new Map(), name: new Map() };
  terms.set(term, found);
  return found;
}

interface PartSearch {
  readonly part: SearchedPart;
  readonly terms: Map<string, TermPlaces>;
}

interface FoundTerms {
  readonly terms: Map<string, TermPlaces>;
  /** Parts of the word, and longer words that end with it. */
  readonly related: readonly string[];
}

interface NameSearch extends Pick<FoundTerms, "terms"> {
  readonly parts: readonly Lookup[];
  readonly commonFrom: number;
}

interface WordScores {
  /** By the number of the piece. */
  readonly scores: ReadonlyMap<number, number>;
  /** The most that the word can bring. */
  readonly most: number;
}
