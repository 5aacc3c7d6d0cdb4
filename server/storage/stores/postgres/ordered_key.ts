/**
 * Keys as bytes whose order is that of the keys (store.ts), for stores that compare bytes: a mark a part, a
 * string in UTF-8 with an end, a number as eight bytes that sort by value.
 */

import { type KeyPart, StoreError, type StoreKey } from "../store.ts";

/** Strings come before numbers. */
const STRING = 0x02;
const NUMBER = 0x21;
/** Ends a string; a zero byte within one is followed by `ESCAPED`, which no mark of a part equals. */
const END = 0x00;
const ESCAPED = 0xff;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The key must be legal (`assertKey`). */
export function encodeOrderedKey(key: StoreKey): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const part of key) {
    if (typeof part === "number") bytes.push(NUMBER, ...numberBytes(part));
    else pushString(bytes, part);
  }
  return Uint8Array.from(bytes);
}

/** The first bytes behind everything below the key. */
export function firstBytesAfter(key: StoreKey): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(...encodeOrderedKey(key), 0xff);
}

/** Throws a StoreError `corrupt` for bytes that are no key. */
export function decodeOrderedKey(bytes: Uint8Array): StoreKey {
  const key: KeyPart[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { part, next } = partAt(bytes, at);
    key.push(part);
    at = next;
  }
  return key;
}

interface Part {
  readonly part: KeyPart;
  /** Where the next part begins. */
  readonly next: number;
}

function partAt(bytes: Uint8Array, at: number): Part {
  if (bytes[at] === STRING) return stringAt(bytes, at + 1);
  if (bytes[at] === NUMBER && at + 9 <= bytes.length) return numberAt(bytes, at + 1);
  throw new StoreError("corrupt", "The store holds a key that is none of Tollgate's");
}

function pushString(bytes: number[], text: string): void {
  bytes.push(STRING);
  for (const byte of encoder.encode(text)) {
    bytes.push(byte);
    if (byte === END) bytes.push(ESCAPED);
  }
  bytes.push(END);
}

function stringAt(bytes: Uint8Array, start: number): Part {
  const text: number[] = [];
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? END;
    if (byte !== END) text.push(byte);
    else if (bytes[at + 1] !== ESCAPED) return { part: decoder.decode(Uint8Array.from(text)), next: at + 1 };
    else {
      text.push(END);
      at++;
    }
  }
  throw new StoreError("corrupt", "The store holds a key without an end");
}

/** IEEE 754, big-endian: positive numbers sort behind negative ones once the sign is turned, and these in reverse. */
function numberBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  turnSign(view, value < 0);
  return new Uint8Array(view.buffer);
}

function numberAt(bytes: Uint8Array, at: number): Part {
  // A copy made by hand: what the client gives is a view of a larger buffer, and its `slice` is another one.
  const view = new DataView(Uint8Array.from(bytes.subarray(at, at + 8)).buffer);
  turnSign(view, view.getUint8(0) < 0x80);
  return { part: view.getFloat64(0), next: at + 8 };
}

function turnSign(view: DataView, negative: boolean): void {
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, bits ^ (negative ? 0xffff_ffff_ffff_ffffn : 0x8000_0000_0000_0000n));
}
