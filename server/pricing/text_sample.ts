/** Text whose tokens may have to be counted in the end: its length, and as much of it as tells how it is made. */

import { countUtf8Bytes } from "./media_tokens.ts";
import type { Tokenizer } from "../tokenizer/tokens.ts";

/** Of text in any language, roughly: one for four Latin letters, or for one and a third Chinese characters. */
const BYTES_PER_TOKEN = 4;
/** Bytes that are kept as they come, what of the rest is kept, and how many at most. */
const KEPT_WHOLE = 8_192;
const KEPT_OF_REST = 1 / 8;
const KEPT_AT_MOST = 32_768;
/** Longer texts are kept or left out slice by slice. */
const SLICE = 1_024;

/** Tokens of so many bytes of text, where there is no tokenizer. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

export class TextSample {
  /** UTF-8 bytes of all text. */
  bytes = 0;
  #kept = "";
  #keptBytes = 0;
  /** Joined when there are enough of them: deltas are short, and a text of many joints takes much memory. */
  #pending: string[] = [];
  #pendingBytes = 0;

  add(text: string): void {
    if (text.length <= SLICE) return this.#add(text);
    for (let at = 0; at < text.length; at += SLICE) this.#add(text.slice(at, at + SLICE));
  }

  /** Without a tokenizer by its bytes. */
  tokens(tokenizer: Tokenizer | undefined): number {
    if (tokenizer === undefined || this.#keptBytes === 0) return tokensOfBytes(this.bytes);
    this.#join();
    const tokens = tokenizer.countNow(this.#kept);
    return this.#keptBytes === this.bytes ? tokens : Math.ceil(tokens * this.bytes / this.#keptBytes);
  }

  #add(text: string): void {
    const bytes = countUtf8Bytes(text);
    if (this.#isKept()) {
      this.#pending.push(text);
      this.#pendingBytes += bytes;
      this.#keptBytes += bytes;
      if (this.#pendingBytes >= SLICE) this.#join();
    }
    this.bytes += bytes;
  }

  #isKept(): boolean {
    const wanted = KEPT_WHOLE + Math.max(0, this.bytes - KEPT_WHOLE) * KEPT_OF_REST;
    return this.#keptBytes <= Math.min(wanted, KEPT_AT_MOST);
  }

  #join(): void {
    this.#kept += this.#pending.join("");
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
