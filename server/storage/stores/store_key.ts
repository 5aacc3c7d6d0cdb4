/** Keys: what is a legal one, how long it is, and the order that every store keeps. */

import { type KeyPart, StoreError, type StoreKey } from "./store.ts";

/** Deno KV takes 2,048 bytes; the store's own prefix needs some of them. */
const MAX_KEY_BYTES = 2_000;

const encoder = new TextEncoder();

/** Nothing but characters of one byte, as nearly every part: told in a tenth of the time that encoding takes. */
const plain = /^[ -~]*$/;

/**
 * Bytes of a key as Deno KV encodes it: a mark a part, 8 bytes a number, a terminator a string, and one byte
 * more for every zero byte in it.
 */
export function keyBytes(key: StoreKey): number {
  let bytes = 0;
  for (const part of key) {
    if (typeof part === "number") {
      bytes += 9;
      continue;
    }
    bytes += 2 + stringBytes(part);
  }
  return bytes;
}

function stringBytes(part: string): number {
  if (plain.test(part)) return part.length;
  const zeros = part.split("\0").length - 1;
  return encoder.encode(part).length + zeros;
}

/** Throws a StoreError `invalid` or `too_large` unless the key may be stored. */
export function assertKey(key: StoreKey): void {
  const [first] = key;
  if (typeof first !== "string" || first.startsWith("~")) {
    throw new StoreError("invalid", `Cannot use key ${formatKey(key)}: it must begin with a plain word`);
  }
  for (const part of key) {
    const fine = typeof part === "string"
      ? part.isWellFormed()
      : Number.isFinite(part) && !Object.is(part, -0);
    if (!fine) throw new StoreError("invalid", `Cannot use key ${formatKey(key)}: a part is malformed`);
  }
  const bytes = keyBytes(key);
  if (bytes <= MAX_KEY_BYTES) return;
  throw new StoreError(
    "too_large",
    `Cannot use key ${formatKey(key).slice(0, 80)}…: it has ${bytes} bytes, ${MAX_KEY_BYTES} are allowed`,
  );
}

/** A key in words, for messages. */
export function formatKey(key: StoreKey): string {
  return JSON.stringify(key);
}

/** Negative when `a` comes first, positive when `b` does, 0 when they are the same key. */
export function compareKeys(a: StoreKey, b: StoreKey): number {
  const common = Math.min(a.length, b.length);
  for (let at = 0; at < common; at++) {
    const order = compareParts(a[at] ?? "", b[at] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** True when `key` lies strictly below `prefix`. */
export function isBelow(key: StoreKey, prefix: StoreKey): boolean {
  return key.length > prefix.length && prefix.every((part, at) => part === key[at]);
}

function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : 1;
  if (typeof b === "number") return -1;
  return compareStrings(a, b);
}

/** By code point, as UTF-8 sorts; `<` alone would put surrogate pairs before U+E000 to U+FFFF. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const left = a.charCodeAt(at);
  const right = b.charCodeAt(at);
  if (Number.isNaN(left)) return -1;
  if (Number.isNaN(right)) return 1;
  return fixUp(left) - fixUp(right);
}

/** Moves surrogates behind the rest of the basic plane. */
function fixUp(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
