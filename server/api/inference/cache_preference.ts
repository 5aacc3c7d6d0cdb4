/** Reads what a request wants of the response cache, from its headers, its preset and its key (docs/response-cache.md). */

import { MOST_CACHE_SECONDS } from "../../../shared/fields/response_cache.ts";
import type { KeyCaching } from "../../../shared/keys.ts";
import type { PresetCaching } from "../../../shared/presets/caching.ts";
import type { HeaderReader } from "../../http/http_server/incoming_request.ts";
import type { CachePreference } from "../../pipeline/response_cache/cache_use.ts";

/** How long a response is kept where nobody says it. */
const USUAL_SECONDS = 300;

const headerNames = {
  on: "x-openrouter-cache",
  ttl: "x-openrouter-cache-ttl",
  clear: "x-openrouter-cache-clear",
} as const;

interface StandingWishes {
  readonly preset?: PresetCaching;
  readonly key?: KeyCaching;
}

const none: KeyCaching = { enabled: false };

/**
 * Undefined where the cache is off. A preset's false beats everything; of the rest the header comes first, then the
 * preset, then the key.
 */
export function cachePreference(
  headers: HeaderReader,
  { preset = {}, key = none }: StandingWishes,
): CachePreference | undefined {
  const asked = flagOf(headers.get(headerNames.on)) ?? preset.enabled ?? key.enabled;
  if (!asked || preset.enabled === false) return undefined;
  const ttlSeconds = secondsOf(headers.get(headerNames.ttl)) ?? preset.ttlSeconds ?? key.ttlSeconds ??
    USUAL_SECONDS;
  return { ttlSeconds, clear: flagOf(headers.get(headerNames.clear)) === true };
}

/** Anything but true and false says nothing. */
function flagOf(text: string | null): boolean | undefined {
  const word = text?.trim().toLowerCase();
  return word === "true" ? true : word === "false" ? false : undefined;
}

/** A number that is too small or too large is the least or the most, and a fraction is cut off; anything else says nothing. */
function secondsOf(text: string | null): number | undefined {
  if (text === null || !/^\s*[+-]?\d+(?:\.\d*)?\s*$/.test(text)) return undefined;
  return Math.min(MOST_CACHE_SECONDS, Math.max(1, Math.trunc(Number(text))));
}
