/** How long responses are cached (docs/response-cache.md). */

import * as z from "zod";

/** Seconds. */
export const MOST_CACHE_SECONDS = 86_400;

export const cacheSecondsSchema = z.int().min(1).max(MOST_CACHE_SECONDS);
