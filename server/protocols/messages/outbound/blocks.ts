/** Messages and their blocks as we send them. */

import type { CacheBreakpoint, JsonObject } from "../../../canonical/item.ts";

export type RenderedBlock = { readonly type: string } & JsonObject;

export interface RenderedMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly RenderedBlock[];
}

/** Told what had to be left out, in words for the routing metadata. */
export type ReportDropped = (words: string) => void;

/** A block of text; the provider refuses one without a visible character, so there is none for such. */
export function renderTextBlock(text: string, cache?: CacheBreakpoint): readonly RenderedBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...renderCacheControl(cache) }];
}

/** Lifetimes that the provider knows; another one becomes its usual five minutes. */
const lifetimes: readonly string[] = ["5m", "1h"];

/** `cache_control` for an explicit breakpoint. */
export function renderCacheControl(cache: CacheBreakpoint | undefined): JsonObject {
  if (cache === undefined) return {};
  const { ttl } = cache;
  const known = ttl !== undefined && lifetimes.includes(ttl);
  return { cache_control: { type: "ephemeral", ...(known ? { ttl } : {}) } };
}
