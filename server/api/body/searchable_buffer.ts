/**
 * Buffers that are searched quickly. Deno's `Buffer.indexOf` compares byte by byte, at 500 MiB/s; the multipart parser
 * looks for its boundary with it, which took half of an upload's time. V8 searches strings of bytes ten times as fast.
 */

import { Buffer } from "node:buffer";

/** The same bytes, for a caller that looks for a buffer in them and writes nothing into them. */
export function searchableBuffer(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text: string | undefined;
  const indexOf = (value: string | number | Uint8Array, from?: number): number => {
    if (!(value instanceof Uint8Array)) return Buffer.prototype.indexOf.call(buffer, value, from);
    text ??= buffer.toString("latin1");
    const needle = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return text.indexOf(needle.toString("latin1"), from);
  };
  return Object.defineProperty(buffer, "indexOf", { value: indexOf });
}
