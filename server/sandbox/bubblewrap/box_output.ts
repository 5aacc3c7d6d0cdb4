/** The output of a program in a sandbox, within its limit. */

import { joinCut } from "../../../shared/util/text.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Keeps the beginning and the end of an output that is too long. */
export class CutOutput {
  readonly #side: number;
  readonly #start: Bytes[] = [];
  readonly #end: Bytes[] = [];
  #startBytes = 0;
  #endBytes = 0;
  #total = 0;

  /** `limit`: bytes that are kept. */
  constructor(limit: number) {
    this.#side = Math.floor(limit / 2);
  }

  add(chunk: Bytes): void {
    this.#total += chunk.length;
    const first = chunk.subarray(0, this.#side - this.#startBytes);
    if (first.length > 0) this.#start.push(first);
    this.#startBytes += first.length;
    this.#addEnd(chunk.subarray(first.length));
  }

  #addEnd(chunk: Bytes): void {
    if (chunk.length === 0) return;
    this.#end.push(chunk);
    this.#endBytes += chunk.length;
    for (let [first] = this.#end; first !== undefined; [first] = this.#end) {
      if (this.#endBytes - first.length < this.#side) return;
      this.#end.shift();
      this.#endBytes -= first.length;
    }
  }

  /** UTF-8, with a note in the middle where something is left out. */
  get bytes(): Uint8Array {
    const start = Buffer.concat(this.#start);
    const end = Buffer.concat(this.#end).subarray(-this.#side);
    if (start.length + end.length >= this.#total) return Buffer.concat([start, end]);
    return new TextEncoder().encode(joinCut({ start, end, total: this.#total }));
  }
}
