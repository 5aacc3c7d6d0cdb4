/** Messages and their blocks as Converse has them: a block is an object with one key. */

import type { CacheBreakpoint, JsonObject } from "../../canonical/item.ts";

export type ConverseBlock = JsonObject;

export interface ConverseMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ConverseBlock[];
}

/** Told what had to be left out, in words for the routing metadata. */
export type ReportDropped = (words: string) => void;

/** A block of text; the provider refuses a blank one. */
export function renderTextBlock(text: string, cache?: CacheBreakpoint): readonly ConverseBlock[] {
  return text.trim() === "" ? [] : [{ text }, ...renderCachePoint(cache)];
}

/** A breakpoint stands behind what it marks. */
export function renderCachePoint(cache: CacheBreakpoint | undefined): readonly ConverseBlock[] {
  if (cache === undefined) return [];
  return [{ cachePoint: { type: "default", ...(cache.ttl === "1h" ? { ttl: "1h" } : {}) } }];
}
