/** Whether responses to requests of a preset are cached (docs/response-cache.md). */

import { ownValue } from "../util/own_value.ts";
import type { Fields } from "./places.ts";

/** Seconds. */
export const MOST_CACHE_SECONDS = 86_400;

/** Says for each field of a preset's settings what is needed, where a value is not that. */
const needs: ReadonlyMap<string, readonly [needed: string, isFit: (value: unknown) => boolean]> = new Map([
  ["cache_enabled", ["true or false is needed", (value) => typeof value === "boolean"]],
  ["cache_ttl_seconds", [
    `a whole number of seconds from 1 to ${MOST_CACHE_SECONDS} is needed`,
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_CACHE_SECONDS,
  ]],
]);

/** The fields that a body has, and what is wrong with one of them. Null counts as not said. */
export function cacheFieldsOf(
  body: Fields,
): { readonly fields: Fields; readonly fault?: readonly [path: string, needed: string, value: unknown] } {
  const fields: [string, unknown][] = [];
  for (const [name, [needed, isFit]] of needs) {
    const value = ownValue(body, name) ?? undefined;
    if (value === undefined) continue;
    if (!isFit(value)) return { fields: {}, fault: [name, needed, value] };
    fields.push([name, value]);
  }
  return { fields: Object.fromEntries(fields) };
}

/** Preference of a preset; undefined: it says nothing. */
export interface PresetCaching {
  readonly enabled?: boolean;
  readonly ttlSeconds?: number;
}

export function presetCaching(config: Fields): PresetCaching {
  const { cache_enabled: enabled, cache_ttl_seconds: seconds } = cacheFieldsOf(config).fields;
  return {
    enabled: typeof enabled === "boolean" ? enabled : undefined,
    ttlSeconds: typeof seconds === "number" ? seconds : undefined,
  };
}
