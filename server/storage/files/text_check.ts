/** Whether bytes are text in UTF-8, chunk by chunk. Nothing is decoded: that would take three times as long. */

import { Buffer, isUtf8 } from "node:buffer";

/** Bytes of the longest character, less one. */
const MAX_CARRIED = 3;

export class TextCheck {
  /** Beginning of a character whose other bytes are in the next chunk. */
  #carried: Uint8Array = new Uint8Array();

  /** False for what is no UTF-8 or has a NUL. Without bytes: whether the text may end here. */
  take(bytes?: Uint8Array): boolean {
    if (bytes === undefined) return this.#carried.length === 0;
    const chunk = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes]);
    const whole = chunk.length - incompleteBytes(chunk);
    this.#carried = chunk.slice(whole);
    return !bytes.includes(0) && isUtf8(chunk.subarray(0, whole));
  }
}

/** Bytes at the end that begin a character and do not end it. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_CARRIED, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    // 10xxxxxx goes on with a character.
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}
