/** A journal batch as it is stored: JSON text, and behind it a checksum of four bytes, so that damage is noticed. */

import { crc32 } from "node:zlib";
import type { StoreEntry } from "../../../storage/stores/store.ts";
import { corruptRow } from "./json_bytes.ts";

const SUM_BYTES = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export function appendChecksum(text: string): Uint8Array {
  const body = encoder.encode(text);
  const stored = new Uint8Array(body.length + SUM_BYTES);
  stored.set(body);
  new DataView(stored.buffer).setUint32(body.length, crc32(body));
  return stored;
}

/**
 * Verifies a batch's checksum and returns the JSON value of its text. Throws a StoreError `corrupt` for a batch that
 * is not as it was written.
 */
export function verifyChecksum({ key, value }: Pick<StoreEntry, "key" | "value">): unknown {
  if (!(value instanceof Uint8Array) || value.length <= SUM_BYTES) throw corruptRow(key);
  const end = value.length - SUM_BYTES;
  const body = value.subarray(0, end);
  const sum = new DataView(value.buffer, value.byteOffset + end).getUint32(0);
  if (crc32(body) !== sum) throw corruptRow(key, new Error("its checksum is another one"));
  try {
    return JSON.parse(decoder.decode(body));
  } catch (cause) {
    throw corruptRow(key, cause);
  }
}
