/** JSON text that is stored as bytes: put together by its writer out of texts that it has already. */

import { formatKey } from "../../../storage/stores/store_key.ts";
import { type StoreEntry, StoreError, type StoreKey } from "../../../storage/stores/store.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Throws a StoreError `corrupt` for what is no JSON in bytes. */
export function parseJsonBytes({ key, value }: Pick<StoreEntry, "key" | "value">): unknown {
  try {
    if (value instanceof Uint8Array) return JSON.parse(decoder.decode(value));
  } catch (cause) {
    throw corruptRow(key, cause);
  }
  throw corruptRow(key);
}

/** A row that does not hold what its writer writes. */
export function corruptRow(key: StoreKey, cause?: unknown): StoreError {
  return new StoreError("corrupt", `Cannot read ${formatKey(key)}: it does not fit`, { cause });
}
