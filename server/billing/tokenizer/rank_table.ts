/** The table of an encoding: its tokens as bytes, and the rank of each, as which it stands for itself. */

import { Buffer } from "node:buffer";
import type { Work } from "../../../shared/util/run_work.ts";

/** Bytes as a text with a character for each, U+0000 to U+00FF. */
export type Bytes = string;

export interface RankTable {
  /** By rank; undefined where there is no such token. */
  readonly tokens: readonly (Bytes | undefined)[];
  rankOf(bytes: Bytes): number | undefined;
}

/** A large map grows in one go, which takes milliseconds. */
const MAPS = 16;
/** Lines that are read before a pause is offered: a third of a millisecond. */
const LINES_AT_ONCE = 256;
/** A token has no more bytes. */
const LONGEST_TOKEN = 256;

const PADDING = 61;
const SPACE = 32;
const NEWLINE = 10;
const ZERO = 48;

/** Reads lines of a token's bytes in base64, a space, and its rank. */
export function* readRankTable(text: string): Work<RankTable> {
  const tokens: Bytes[] = [];
  const maps = Array.from({ length: MAPS }, () => new Map<Bytes, number>());
  const mapOf = (bytes: Bytes) => maps[bytes.charCodeAt(0) % MAPS];
  const lines = new Lines(text);
  while (lines.read()) {
    for (const [bytes, rank] of lines.tokens()) {
      tokens[rank] = bytes;
      mapOf(bytes)?.set(bytes, rank);
    }
    yield;
  }
  return { tokens, rankOf: (bytes) => mapOf(bytes)?.get(bytes) };
}

/** A few lines at a time: base64 of so few bytes takes longer to hand to the runtime than to decode. */
class Lines {
  readonly #text: string;
  #position = 0;
  readonly #bytes = Buffer.alloc(LINES_AT_ONCE * LONGEST_TOKEN);
  /** Ends of the bytes of each line, and each line's rank. */
  #ends: number[] = [];
  #ranks: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The next lines, if there are any. Throws a RangeError where the table is damaged. */
  read(): boolean {
    this.#ends = [];
    this.#ranks = [];
    let end = 0;
    while (this.#position < this.#text.length && this.#ends.length < LINES_AT_ONCE) {
      end = this.#readBytes(end);
      this.#ends.push(end);
      this.#ranks.push(this.#readRank());
    }
    return this.#ends.length > 0;
  }

  *tokens(): Generator<readonly [Bytes, number]> {
    const all = this.#bytes.toString("latin1", 0, this.#ends.at(-1));
    let start = 0;
    for (const [line, end] of this.#ends.entries()) {
      yield [all.slice(start, end), this.#ranks[line] ?? 0];
      start = end;
    }
  }

  #readBytes(start: number): number {
    let end = start;
    let [held, bits] = [0, 0];
    for (let code = this.#next(); code !== SPACE; code = this.#next()) {
      if (code === PADDING) continue;
      held = (held << 6 | (values[code] ?? 0)) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      this.#bytes[end++] = held >> bits;
    }
    if (end === start || end - start > LONGEST_TOKEN) throw new RangeError("The table of tokens is damaged");
    return end;
  }

  #readRank(): number {
    let rank = 0;
    for (let code = this.#next(); code !== NEWLINE; code = this.#next()) rank = rank * 10 + code - ZERO;
    return rank;
  }

  #next(): number {
    if (this.#position === this.#text.length) throw new RangeError("The table of tokens is damaged");
    return this.#text.charCodeAt(this.#position++);
  }
}

/** Six bits of each character of base64, by its code. */
const values = new Uint8Array(128);
for (
  const [value, char] of [
    ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  ].entries()
) values[char.charCodeAt(0)] = value;
