/** Messages and their blocks as Converse has them: a block is an object with one key. */

import type { CacheMark, Json } from "../../../canonical/item.ts";

export type Block = Json;

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/** Told what had to be left out, in words for the routing metadata. */
export type Note = (words: string) => void;

/** A block of text; the provider refuses a blank one. */
export function textBlock(text: string, cache?: CacheMark): readonly Block[] {
  return text.trim() === "" ? [] : [{ text }, ...cachePoint(cache)];
}

/** A breakpoint stands behind what it marks. */
export function cachePoint(cache: CacheMark | undefined): readonly Block[] {
  if (cache === undefined) return [];
  return [{ cachePoint: { type: "default", ...(cache.ttl === "1h" ? { ttl: "1h" } : {}) } }];
}
