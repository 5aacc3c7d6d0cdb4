/**
 * Blanks between a boundary of a multipart body and the end of its line (RFC 2046, 5.1.1): they mean nothing, and the
 * parser knows none.
 */

import { Buffer } from "node:buffer";
import { searchableBuffer } from "./body/searchable_buffer.ts";

/** Bytes of blanks that are taken; behind more the parser finds no part. */
const MAX_PADDING = 1_024;

const CR = 13;
const isBlank = (byte: number | undefined) => byte === 32 || byte === 9;
const nothing = new Uint8Array(0);

/** Takes a body in chunks and gives it on without the blanks. What may be the beginning of a boundary is held back. */
export class TransportPadding {
  readonly #delimiter: Buffer;
  /** The first boundary of a body may have no line before it. */
  #held: Uint8Array = new Uint8Array([13, 10]);

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** The chunks that may go on; views of `bytes` where nothing was held back. */
  push(bytes: Uint8Array): readonly Buffer[] {
    const all = searchableBuffer(this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]));
    const chunks: Uint8Array[] = [];
    let from = 0;
    let holdFrom: number | undefined;
    for (let at = all.indexOf(this.#delimiter); at !== -1;) {
      const end = at + this.#delimiter.length;
      const behind = skipBlanks(all, end);
      if (behind === all.length && behind - end <= MAX_PADDING) {
        holdFrom = at;
        break;
      }
      if (behind > end && behind - end <= MAX_PADDING && all[behind] === CR) {
        chunks.push(all.subarray(from, end));
        from = behind;
      }
      at = all.indexOf(this.#delimiter, end);
    }
    holdFrom ??= this.#beginning(all, from);
    if (from < holdFrom) chunks.push(all.subarray(from, holdFrom));
    this.#held = holdFrom === all.length ? nothing : all.slice(holdFrom);
    return chunks.map(searchableBuffer);
  }

  /** Gives out the text that was held back, at the end of the body. */
  end(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return searchableBuffer(held);
  }

  /** Where the bytes end with the beginning of a boundary; their length where they do not. */
  #beginning(bytes: Uint8Array, from: number): number {
    const first = Math.max(from, bytes.length - this.#delimiter.length + 1);
    const at = first + bytes.subarray(first).lastIndexOf(CR);
    if (at < first) return bytes.length;
    return this.#delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at)) ? at : bytes.length;
  }
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && at - from <= MAX_PADDING && isBlank(bytes[at])) at++;
  return at;
}

/** The boundary that a content type names; undefined where it names none. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = /;[\t ]*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}
