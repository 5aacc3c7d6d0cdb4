/** JSON text that is stored as bytes: put together by its writer out of texts that it has already. */

import { showKey } from "../../stores/store_key.ts";
import { type Entry, StoreError, type StoreKey } from "../../stores/store.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Throws a StoreError `corrupt` for what is no JSON in bytes. */
export function jsonIn({ key, value }: Pick<Entry, "key" | "value">): unknown {
  try {
    if (value instanceof Uint8Array) return JSON.parse(decoder.decode(value));
  } catch (cause) {
    throw misfit(key, cause);
  }
  throw misfit(key);
}

/** A row that does not hold what its writer writes. */
export function misfit(key: StoreKey, cause?: unknown): StoreError {
  return new StoreError("corrupt", `Cannot read ${showKey(key)}: it does not fit`, { cause });
}
