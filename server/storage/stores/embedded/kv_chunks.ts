/**
 * Where the chunks of a large value stand in Deno KV. The key itself holds a head, the chunks stand beside each
 * other and are always written and removed together; one read of all of them is one moment's read, so it gives
 * one write's value whole, whatever the head said a moment before.
 */

import { decodeSplitValue, type SplitValue } from "../encode_value.ts";

/** Value at a key whose value is in chunks. */
export interface ChunkHead {
  readonly pieces: number;
}

/** More than any value has. */
export const MAX_CHUNKS = 20;

/** The head that a stored value is; undefined for values in one chunk, which are strings and bytes. */
export function toChunkHead(value: unknown): ChunkHead | undefined {
  if (typeof value !== "object" || value === null || !("pieces" in value)) return undefined;
  return typeof value.pieces === "number" ? { pieces: value.pieces } : undefined;
}

/** All chunks of a key and no other's: keys of other lengths have another second part. */
export function chunkPrefix(key: readonly Deno.KvKeyPart[]): Deno.KvKey {
  return ["~pieces", key.length, ...key];
}

export function chunkKey(key: readonly Deno.KvKeyPart[], at: number): Deno.KvKey {
  return [...chunkPrefix(key), at];
}

/** Bytes to store at each chunk's key; the first begins with a mark of the format. */
export function splitChunks({ format, chunks }: SplitValue): readonly Uint8Array[] {
  return chunks.map((chunk, at) => at === 0 ? marked(chunk, format) : chunk);
}

function marked(chunk: Uint8Array, format: SplitValue["format"]): Uint8Array {
  const bytes = new Uint8Array(chunk.length + 1);
  bytes[0] = format === "json" ? 0 : 1;
  bytes.set(chunk, 1);
  return bytes;
}

/** The value that the chunks make up; undefined when they are none. */
export function joinChunks(chunks: readonly unknown[]): { readonly value: unknown } | undefined {
  const [first, ...rest] = chunks.filter(isBytes);
  if (!first || rest.length + 1 !== chunks.length) return undefined;
  return { value: decodeSplitValue(first[0] === 0 ? "json" : "bytes", [first.subarray(1), ...rest]) };
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
