/** Translates the errors of Deno KV. Its errors carry no code, only SQLite's sentence. */

import type { Clock } from "../../../runtime.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { StoreError, type StoreErrorKind } from "../store.ts";

const LOCKED = "database is locked";
const LOCKED_TRIES = 10;

/** Sentence of SQLite → kind. */
const sentences: readonly (readonly [string, StoreErrorKind])[] = [
  ["malformed", "corrupt"],
  ["not a database", "corrupt"],
  ["file is encrypted", "corrupt"],
  // Of V8, where what is stored is no value of its.
  ["deserialize", "corrupt"],
];

export function kvStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = systemReason(error);
  const kind = sentences.find(([sentence]) => message.includes(sentence))?.[1] ?? "unavailable";
  return new StoreError(kind, `The store failed: ${message}`, { cause: error });
}

/**
 * Runs `work`, and again while another handle holds the file: Deno passes "database is locked" on for commits
 * with checks instead of waiting. Other errors come out as StoreError.
 */
export async function retryWhileLocked<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      const locked = error instanceof Error && error.message.includes(LOCKED);
      if (!locked || attempt === LOCKED_TRIES) throw kvStoreError(error);
      await new Promise<void>((resolve) => clock.after(attempt, resolve));
    }
  }
}
