/**
 * Values on their way to and from a store: JSON text or bytes, whole or in chunks. A stored value has at most
 * 65,536 bytes in Deno KV; what is larger is cut into chunks that are written in the same commit as their head.
 */

import { formatKey } from "./store_key.ts";
import { StoreError, type StoreKey, type StorePut } from "./store.ts";

/** A value up to this size is stored whole. */
const MAX_WHOLE_BYTES = 60_000;
/** The largest value; a commit has room for its chunks and little else. */
export const MAX_VALUE_BYTES = 780_000;

/** A value in one chunk: JSON text, or bytes as they were put. */
interface WholeValue {
  readonly type: "whole";
  readonly stored: string | Uint8Array<ArrayBuffer>;
  readonly bytes: number;
}

export interface SplitValue {
  readonly type: "split";
  readonly format: "json" | "bytes";
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  readonly bytes: number;
}

export type EncodedValue = WholeValue | SplitValue;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Throws a StoreError `invalid` for what JSON has no words for, `too_large` above the limit. */
export function encodeValue({ key, value }: StorePut): EncodedValue {
  const encoded = value instanceof Uint8Array ? encodeBytes(value, "bytes") : encodeJson(key, value);
  if (encoded.bytes <= MAX_VALUE_BYTES) return encoded;
  throw new StoreError(
    "too_large",
    `Cannot store ${formatKey(key)}: it has ${encoded.bytes} bytes, ${MAX_VALUE_BYTES} are allowed`,
  );
}

/** The value of JSON text, or the bytes themselves. Throws a StoreError `corrupt`. */
export function decodeWholeValue(stored: string | Uint8Array): unknown {
  return typeof stored === "string" ? parseStored(() => stored) : stored.slice();
}

/** Parses JSON text as the store has it: text that is none was damaged there. */
export function parseStored(textOf: () => string): unknown {
  try {
    return JSON.parse(textOf());
  } catch (cause) {
    throw new StoreError("corrupt", "A stored value is not what was written: it is no JSON", { cause });
  }
}

/** JSON text or bytes in one chunk, for stores that need no chunks. */
export function joinEncoded(encoded: EncodedValue): string | Uint8Array<ArrayBuffer> {
  if (encoded.type === "whole") return encoded.stored;
  const bytes = joined(encoded.chunks);
  return encoded.format === "json" ? decoder.decode(bytes) : bytes;
}

/** The value that `split` cut up. Throws a StoreError `corrupt`. */
export function decodeSplitValue(format: "json" | "bytes", chunks: readonly Uint8Array[]): unknown {
  const bytes = joined(chunks);
  return format === "json" ? parseStored(() => decoder.decode(bytes)) : bytes;
}

function encodeJson(key: StoreKey, value: unknown): EncodedValue {
  const text = toJson(key, value);
  // The serializer keeps Latin-1 strings at a byte a character and all others at two.
  const bytes = wide.test(text) ? text.length * 2 : text.length;
  if (bytes <= MAX_WHOLE_BYTES) return { type: "whole", stored: text, bytes };
  return split(encoder.encode(text), "json");
}

/** Beyond Latin-1. */
const wide = /[\u0100-\uffff]/;

function toJson(key: StoreKey, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new StoreError("invalid", `Cannot store ${formatKey(key)}: it is not a JSON value`, { cause });
  }
  if (text === undefined) {
    throw new StoreError("invalid", `Cannot store ${formatKey(key)}: there is no value`);
  }
  return text;
}

function encodeBytes(value: Uint8Array, format: "json" | "bytes"): EncodedValue {
  const copy = new Uint8Array(value);
  if (copy.length <= MAX_WHOLE_BYTES) return { type: "whole", stored: copy, bytes: copy.length };
  return split(copy, format);
}

function split(bytes: Uint8Array<ArrayBuffer>, format: "json" | "bytes"): SplitValue {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += MAX_WHOLE_BYTES) {
    chunks.push(bytes.slice(at, at + MAX_WHOLE_BYTES));
  }
  return { type: "split", format, chunks, bytes: bytes.length };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
