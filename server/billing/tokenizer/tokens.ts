/**
 * Counts and cuts text by the o200k_base encoding. Its table takes a fifth of a second of work, with pauses, and 9 MB,
 * so it is loaded by the first request that needs it.
 */

import { Buffer } from "node:buffer";
import { Memo } from "../../../shared/util/memo.ts";
import { pause } from "../../../shared/util/pause.ts";
import { runWork, type Work } from "../../../shared/util/run_work.ts";
import { BytePairs } from "./byte_pairs.ts";
import { type Bytes, type RankTable, readRankTable } from "./rank_table.ts";
import { blocksOf } from "./text_blocks.ts";

/** The least of a text that can be shown: one token, or several where a character takes several. */
export interface Chunk {
  readonly text: string;
  readonly tokens: number;
}

export interface Tokenizer {
  /** The text in chunks; nothing is computed ahead. */
  chunks(text: string): Generator<Chunk>;
  /** Tokens of all texts together, no further than a little above `most`. */
  count(texts: Iterable<string>, bound: { readonly most: number }): Work<number>;
  /** Tokens of a short text, without a pause: about 0.2 ms per 1,000 characters. */
  countNow(text: string): number;
}

export interface LoadClock {
  monotonic(): number;
}

let tokenizer: Memo<Tokenizer> | undefined;
let loaded: Tokenizer | undefined;

/** By the clock of the first who asks, others run in between. */
export function loadTokenizer(clock: LoadClock): Promise<Tokenizer> {
  tokenizer ??= new Memo(() => load(clock));
  return tokenizer.get();
}

/** The load that a request has begun, so that what has to be still can wait for it; undefined where none has. */
export const begunTokenizer = (): Promise<Tokenizer> | undefined => tokenizer?.get();

/** The tokenizer if it has been loaded already. */
export const loadedTokenizer = (): Tokenizer | undefined => loaded;

async function load(clock: LoadClock): Promise<Tokenizer> {
  const [{ default: text }, { O200K_TOKEN_SPLIT_REGEX }] = await Promise.all([
    import("gpt-tokenizer/data/o200k_base.tiktoken", { with: { type: "text" } }),
    import("gpt-tokenizer/encodingParams/constants"),
  ]);
  const table = await runWork(readRankTable(text), { clock, pause, mostMs: Infinity });
  return loaded = createTokenizer(table, O200K_TOKEN_SPLIT_REGEX);
}

function createTokenizer(table: RankTable, split: RegExp): Tokenizer {
  const pairs = new BytePairs(table, split);
  const texts = new TokenTexts(table);
  return {
    chunks: function* (text) {
      for (const block of blocksOf(text)) yield* texts.chunks(pairs.encode(block));
    },
    count: function* (all, { most }) {
      let total = 0;
      for (const text of all) {
        for (const block of blocksOf(text)) {
          total += pairs.count(block);
          if (total > most) return total;
          yield;
        }
      }
      return total;
    },
    countNow: (text) => {
      let total = 0;
      for (const block of blocksOf(text)) total += pairs.count(block);
      return total;
    },
  };
}

/** Tokens as text: a character may take several. */
class TokenTexts {
  readonly #table: RankTable;
  /** Texts of tokens that are whole characters, as far as they were asked for. */
  readonly #texts = new Map<number, string>();

  constructor(table: RankTable) {
    this.#table = table;
  }

  *chunks(tokens: readonly number[]): Generator<Chunk> {
    let [held, count]: [Bytes, number] = ["", 0];
    for (const token of tokens) {
      const text = count === 0 ? this.#textOf(token) : undefined;
      if (text !== undefined) {
        yield { text, tokens: 1 };
        continue;
      }
      [held, count] = [held + this.#bytesOf(token), count + 1];
      if (isCut(held)) continue;
      yield { text: decode(held), tokens: count };
      [held, count] = ["", 0];
    }
    if (count > 0) yield { text: decode(held), tokens: count };
  }

  /** Undefined for a token that ends within a character. */
  #textOf(token: number): string | undefined {
    const known = this.#texts.get(token);
    if (known !== undefined) return known;
    const bytes = this.#bytesOf(token);
    if (isCut(bytes)) return undefined;
    const text = decode(bytes);
    this.#texts.set(token, text);
    return text;
  }

  #bytesOf(token: number): Bytes {
    return this.#table.bytesOf(token) ?? "";
  }
}

const decode = (bytes: Bytes): string => Buffer.from(bytes, "latin1").toString();

/** Whether the bytes end within a character. */
function isCut(bytes: Bytes): boolean {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes.charCodeAt(bytes.length - back);
    // A byte of its own, or one inside of a character: what it began stands before it.
    if (byte < 0x80) return false;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
  }
  return false;
}
