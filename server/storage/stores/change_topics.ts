/**
 * Signals that a commit gives to everyone who listens to the store: a put below `epochs` (what is cached has
 * changed) or `wanted` (a share of a limit is asked for) is announced with the commit, never before it.
 */

import type { StoreKey } from "./store.ts";

/** Said when signals may have been missed: anything may have changed. */
export const ANY_TOPIC = "*";

const announced: ReadonlySet<unknown> = new Set(["epochs", "wanted"]);

/** The topics of what is put: the key's parts, joined by slashes, each once. */
export function topicsOf(keys: readonly StoreKey[]): readonly string[] {
  return [...new Set(keys.filter(([first]) => announced.has(first)).map((key) => key.join("/")))];
}
