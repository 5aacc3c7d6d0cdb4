/** Whether responses to requests of a preset are cached (docs/response-cache.md). */

import * as z from "zod";
import type { Fields } from "./places.ts";

/** Seconds. */
export const MOST_CACHE_SECONDS = 86_400;

/** Fields of a preset that no request has. Null counts as not said. */
export const presetCacheShape = {
  cache_enabled: z.boolean().nullish(),
  cache_ttl_seconds: z.int().min(1).max(MOST_CACHE_SECONDS).nullish(),
};

const cacheSchema = z.object(presetCacheShape);

/** The fields that a body has. */
export function cacheFieldsOf(body: Fields): Fields {
  const fields = Object.entries(cacheSchema.parse(body));
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined));
}

/** Preference of a preset; undefined: it says nothing. */
export interface PresetCaching {
  readonly enabled?: boolean;
  readonly ttlSeconds?: number;
}

export function presetCaching(config: Fields): PresetCaching {
  const { cache_enabled: enabled, cache_ttl_seconds: ttlSeconds } = cacheSchema.parse(config);
  return { enabled: enabled ?? undefined, ttlSeconds: ttlSeconds ?? undefined };
}
