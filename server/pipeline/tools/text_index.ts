/** Texts found by their words: BM25, with beginnings of words and small misspellings. */

import MiniSearch from "minisearch";

export interface IndexedText {
  readonly id: string;
  /** Name of a text; a word in it counts most. */
  readonly name: string;
  readonly text: string;
}

export class TextIndex {
  readonly #index: MiniSearch<IndexedText>;

  constructor(texts: readonly IndexedText[]) {
    this.#index = new MiniSearch({
      fields: ["name", "text"],
      tokenize: wordsOf,
      searchOptions: { boost: { name: 2 }, prefix: isLong, fuzzy: (term) => isLong(term) ? 0.2 : false },
    });
    this.#index.addAll(texts);
  }

  /** Ids of the texts that fit a query, best first. */
  search(query: string, most: number): readonly string[] {
    const found = this.#index.search(query.slice(0, LONGEST)).slice(0, most);
    return found.map(({ id }) => String(id));
  }
}

/** UTF-16 units of a query. */
const LONGEST = 1_000;

const isLong = (term: string) => term.length > 3;

/** `getWeather`, `get_weather` and `openai/gpt-5.1` by their words. */
const wordsOf = (text: string): string[] =>
  text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
