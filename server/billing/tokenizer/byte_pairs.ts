/** Byte-pair encoding: pieces of a text become the tokens that stand for them, or are put together of smaller ones. */

import { Buffer } from "node:buffer";
import type { Bytes, RankTable } from "./rank_table.ts";

/** Pieces that were put together are remembered, so many of them. */
const MOST_REMEMBERED = 100_000;

const beyondAscii = /[^\0-\x7f]/;

export class BytePairs {
  readonly #table: RankTable;
  /** Finds the pieces of a text, none of which a token reaches over. */
  readonly #split: RegExp;
  readonly #merged = new Map<string, readonly number[]>();

  constructor(table: RankTable, split: RegExp) {
    this.#table = table;
    this.#split = split;
  }

  /** The tokens of a block of a text. */
  encode(block: string): readonly number[] {
    const isAscii = !beyondAscii.test(block);
    const tokens: number[] = [];
    for (const piece of block.match(this.#split) ?? []) {
      const token = isAscii ? this.#table.rankOf(piece) : undefined;
      if (token === undefined) tokens.push(...this.#merge(piece));
      else tokens.push(token);
    }
    return tokens;
  }

  count(block: string): number {
    const isAscii = !beyondAscii.test(block);
    let tokens = 0;
    for (const piece of block.match(this.#split) ?? []) {
      tokens += isAscii && this.#table.rankOf(piece) !== undefined ? 1 : this.#merge(piece).length;
    }
    return tokens;
  }

  #merge(piece: string): readonly number[] {
    const known = this.#merged.get(piece);
    if (known !== undefined) return known;
    const bytes = Buffer.from(piece).toString("latin1");
    const token = this.#table.rankOf(bytes);
    const tokens = token === undefined ? this.#mergePairs(bytes) : [token];
    if (this.#merged.size >= MOST_REMEMBERED) this.#merged.clear();
    this.#merged.set(piece, tokens);
    return tokens;
  }

  /** From single bytes on, the two neighbours of the lowest rank become one, until none can. */
  #mergePairs(bytes: Bytes): readonly number[] {
    const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
    const rankFrom = (at: number): number => {
      const end = starts[at + 2];
      return end === undefined ? Infinity : this.#table.rankOf(bytes.slice(starts[at], end)) ?? Infinity;
    };
    const ranks = Array.from({ length: bytes.length }, (_, at) => rankFrom(at));
    for (let at = lowest(ranks); at !== undefined; at = lowest(ranks)) {
      starts.splice(at + 1, 1);
      ranks.splice(at, 1);
      ranks[at] = rankFrom(at);
      if (at > 0) ranks[at - 1] = rankFrom(at - 1);
    }
    return ranks.map((_, at) => this.#rankOf(bytes.slice(starts[at], starts[at + 1])));
  }

  #rankOf(bytes: Bytes): number {
    const rank = this.#table.rankOf(bytes);
    if (rank === undefined) throw new RangeError("The encoding has no token for a byte");
    return rank;
  }
}

/** Where the lowest rank stands, the first of several. */
function lowest(ranks: readonly number[]): number | undefined {
  let [found, least]: [number | undefined, number] = [undefined, Infinity];
  for (let at = 0; at < ranks.length; at++) {
    const rank = ranks[at] ?? Infinity;
    if (rank < least) [found, least] = [at, rank];
  }
  return found;
}
