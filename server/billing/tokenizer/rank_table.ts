/** The table of an encoding: its tokens as bytes, and the rank of each, as which it stands for itself. */

import type { Work } from "../../../shared/util/run_work.ts";

/** Bytes as a text with a character for each, U+0000 to U+00FF. */
export type Bytes = string;

/** Lines that are read, or tokens indexed, before a pause is offered: a third of a millisecond. */
const LINES_AT_ONCE = 256;
/** A token has no more bytes. */
const LONGEST_TOKEN = 256;
const HIGHEST_RANK = 2 ** 20;
/** A search ends after a few slots, because at least every second one is free. */
const SLOTS_PER_TOKEN = 2;

const PADDING = 61;
const SPACE = 32;
const NEWLINE = 10;
const ZERO = 48;

/** Reads lines of a token's bytes in base64, a space, and its rank. */
export function* readRankTable(text: string): Work<RankTable> {
  const table = new RankTable();
  const lines = new Lines(text);
  let count = 0;
  for (let token = lines.next(); token !== undefined; token = lines.next()) {
    table.add(token);
    if (++count % LINES_AT_ONCE === 0) yield;
  }
  yield* table.index();
  return table;
}

/** In arrays of numbers, because as many texts would take five times the memory. */
export class RankTable {
  /** The bytes of all tokens, one after the other. */
  #bytes = new Uint8Array(2 ** 16);
  #length = 0;
  /** Where the bytes of each rank begin and end: at 0 both, where no token has the rank. */
  #starts = new Uint32Array(2 ** 12);
  #ends = new Uint32Array(2 ** 12);
  /** One above the highest. */
  #ranks = 0;
  /** Ranks by the hash of their bytes, and from there on to the next free slot; one more than the rank, or 0. */
  #slots = new Uint32Array(0);

  add({ bytes, rank }: Token): void {
    this.#ranks = Math.max(this.#ranks, rank + 1);
    if (this.#bytes.length < this.#length + bytes.length) {
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(2 * this.#bytes.byteLength));
    }
    while (this.#starts.length < this.#ranks) {
      this.#starts = new Uint32Array(this.#starts.buffer.transfer(2 * this.#starts.byteLength));
      this.#ends = new Uint32Array(this.#ends.buffer.transfer(2 * this.#ends.byteLength));
    }
    this.#bytes.set(bytes, this.#length);
    this.#starts[rank] = this.#length;
    this.#ends[rank] = this.#length += bytes.length;
  }

  /** Finds tokens by their bytes from now on: once all have been added. */
  *index(): Work<void> {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(SLOTS_PER_TOKEN * this.#ranks + 1)));
    for (let rank = 0; rank < this.#ranks; rank++) {
      const bytes = this.bytesOf(rank);
      if (bytes !== undefined) this.#slots[this.#slotOf(bytes)] = rank + 1;
      if (rank % LINES_AT_ONCE === 0) yield;
    }
  }

  /** Undefined where no token has the rank. */
  bytesOf(rank: number): Bytes | undefined {
    const [start, end] = [this.#starts[rank], this.#ends[rank]];
    return start === end ? undefined : String.fromCharCode(...this.#bytes.subarray(start, end));
  }

  /** Undefined where no token has the bytes. */
  rankOf(bytes: Bytes): number | undefined {
    const found = this.#slots[this.#slotOf(bytes)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** The slot of a token, or the free one where it would be. */
  #slotOf(bytes: Bytes): number {
    const last = this.#slots.length - 1;
    let slot = hashOf(bytes) & last;
    for (let held = this.#slots[slot] ?? 0; held !== 0 && !this.#isAt(held - 1, bytes);) {
      slot = slot + 1 & last;
      held = this.#slots[slot] ?? 0;
    }
    return slot;
  }

  #isAt(rank: number, bytes: Bytes): boolean {
    const start = this.#starts[rank] ?? 0;
    if ((this.#ends[rank] ?? 0) - start !== bytes.length) return false;
    for (let at = 0; at < bytes.length; at++) {
      if (this.#bytes[start + at] !== bytes.charCodeAt(at)) return false;
    }
    return true;
  }
}

/** FNV-1a, mixed so that the lowest bits depend on all of them. */
function hashOf(bytes: Bytes): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes.charCodeAt(at), 0x01000193);
  return hash ^ hash >>> 15;
}

interface Token {
  /** Overwritten by the next one's. */
  readonly bytes: Uint8Array;
  readonly rank: number;
}

class Lines {
  readonly #text: string;
  #position = 0;
  readonly #bytes = new Uint8Array(LONGEST_TOKEN);

  constructor(text: string) {
    this.#text = text;
  }

  /** The token of the next line, if there is one. Throws a RangeError where the table is damaged. */
  next(): Token | undefined {
    if (this.#position === this.#text.length) return undefined;
    const length = this.#readBytes();
    const rank = this.#readRank();
    if (length === 0 || length > LONGEST_TOKEN || rank > HIGHEST_RANK) throw damaged();
    return { bytes: this.#bytes.subarray(0, length), rank };
  }

  /** How many there are. */
  #readBytes(): number {
    let length = 0;
    let [held, bits] = [0, 0];
    for (let code = this.#nextChar(); code !== SPACE; code = this.#nextChar()) {
      if (code === PADDING) continue;
      held = (held << 6 | (values[code] ?? 0)) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      this.#bytes[length++] = held >> bits;
    }
    return length;
  }

  #readRank(): number {
    let rank = 0;
    for (let code = this.#nextChar(); code !== NEWLINE; code = this.#nextChar()) {
      rank = rank * 10 + code - ZERO;
    }
    return rank;
  }

  #nextChar(): number {
    if (this.#position === this.#text.length) throw damaged();
    return this.#text.charCodeAt(this.#position++);
  }
}

const damaged = () => new RangeError("The table of tokens is damaged");

/** Six bits of each character of base64, by its code. */
const values = new Uint8Array(128);
for (
  const [value, char] of [
    ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  ].entries()
) values[char.charCodeAt(0)] = value;
