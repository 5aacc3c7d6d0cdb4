/** Messages and their blocks as we send them. */

import type { CacheMark, Json } from "../../../canonical/item.ts";

export type Block = { readonly type: string } & Json;

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/** Told what had to be left out, in words for the routing metadata. */
export type Note = (words: string) => void;

/** A block of text; the provider refuses one without a visible character, so there is none for such. */
export function textBlock(text: string, cache?: CacheMark): readonly Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...cacheControl(cache) }];
}

/** Lifetimes that the provider knows; another one becomes its usual five minutes. */
const lifetimes: readonly string[] = ["5m", "1h"];

/** `cache_control` for an explicit breakpoint. */
export function cacheControl(cache: CacheMark | undefined): Json {
  if (cache === undefined) return {};
  const { ttl } = cache;
  const known = ttl !== undefined && lifetimes.includes(ttl);
  return { cache_control: { type: "ephemeral", ...(known ? { ttl } : {}) } };
}
