/** Finds the key that ties requests together that should meet the same endpoint. */

import { contentParts } from "../../../protocols/canonical/content_parts.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { type Hash, hashText } from "./hash.ts";

export interface StickyKey {
  /** `request`: nothing ties this one to others. */
  readonly source: "session_id" | "prompt_cache_key" | "prefix" | "request";
  readonly hash: Hash;
}

/**
 * The session, else the prompt cache's key, else, where the caller marks what is to be cached, the beginning of
 * the conversation, so that a warm cache is found again; else the request itself. The kind keeps a session apart
 * from a cache key of the same name.
 */
export function stickyKeyOf(request: ModelRequest, generation: string): StickyKey {
  const { sessionId, promptCacheKey } = request;
  if (sessionId !== undefined && sessionId !== "") return keyOf("session_id", sessionId);
  if (promptCacheKey !== undefined && promptCacheKey !== "") return keyOf("prompt_cache_key", promptCacheKey);
  if (marksCache(request)) return keyOf("prefix", prefixOf(request));
  return keyOf("request", generation);
}

const keyOf = (source: StickyKey["source"], text: string): StickyKey => ({
  source,
  hash: hashText(`${source}\0${text}`),
});

function marksCache({ cache, promptCacheOptions, input }: ModelRequest): boolean {
  return cache !== undefined || promptCacheOptions !== undefined ||
    input.some((item) =>
      contentParts(item).some((part) => part.type !== "refusal" && part.cache !== undefined)
    );
}

/**
 * Characters that are read of the instructions and of the first item each; conversations that share so much share
 * their cache.
 */
const PREFIX_CHARS = 2_048;

function prefixOf({ instructions = "", input }: ModelRequest): string {
  const [first] = input;
  const received = first?.type === "message"
    ? first.parts.map((part) => "text" in part ? part.text.slice(0, PREFIX_CHARS) : part.type).join("\0")
    : "";
  return `${instructions.slice(0, PREFIX_CHARS)}\0${received.slice(0, PREFIX_CHARS)}`;
}
