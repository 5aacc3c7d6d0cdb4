/** Prompt-cache marks (specification, Request body, §3.2). */

import * as z from "zod";

/** At top level it caches up to the last cacheable block, on a part it marks an explicit breakpoint. */
export const cacheControlSchema = z.looseObject({
  type: z.literal("ephemeral"),
  ttl: z.enum(["5m", "1h"]).nullish(),
});
export type CacheControl = z.infer<typeof cacheControlSchema>;

/** `explicit` in one client family, which demands it; the other may leave it out. */
export const promptCacheOptions = z.looseObject({
  mode: z.enum(["explicit", "implicit"]).nullish(),
  ttl: z.string().nullish(),
});
