/** Whether responses to requests of a preset are cached (docs/response-cache.md). */

import * as z from "zod";
import { ApiError } from "../errors.ts";
import { cacheSecondsSchema } from "../fields/response_cache.ts";
import { validate } from "../validation/validate.ts";
import type { Fields } from "./places.ts";

/** Fields of a preset that no request has. Null counts as not said. */
export const presetCacheShape = {
  cache_enabled: z.boolean().nullish(),
  cache_ttl_seconds: cacheSecondsSchema.nullish(),
};

const cacheSchema = z.object(presetCacheShape);

/** Throws an ApiError (400). */
function parseCaching(fields: Fields): z.infer<typeof cacheSchema> {
  const checked = validate(cacheSchema, fields);
  if (checked.ok) return checked.value;
  const message = checked.faults.map((fault) => fault.message).join(". ");
  throw new ApiError("invalid_request", message, { metadata: { path: checked.faults[0]?.path ?? "body" } });
}

/** The fields that a body has. Throws an ApiError (400). */
export function cacheFieldsOf(body: Fields): Fields {
  const fields = Object.entries(parseCaching(body));
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined));
}

/** Preference of a preset; undefined: it says nothing. */
export interface PresetCaching {
  readonly enabled?: boolean;
  readonly ttlSeconds?: number;
}

/** Throws an ApiError (400). */
export function presetCaching(config: Fields): PresetCaching {
  const { cache_enabled: enabled, cache_ttl_seconds: ttlSeconds } = parseCaching(config);
  return { enabled: enabled ?? undefined, ttlSeconds: ttlSeconds ?? undefined };
}
