/** Keys of a request that the canonical model has no words for, and objects laid over one another. */

import type { JsonObject } from "../../../canonical/item.ts";

/** Never copied from a caller's object into one of ours, whatever the engine makes of them. */
const unsafe: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** What of `value` is not in `known`; undefined, without a copy, when nothing is. */
export function pickUnknown(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in value) {
    if (known.has(key) || unsafe.has(key)) continue;
    rest ??= {};
    rest[key] = value[key];
  }
  return rest;
}

/** Lays objects over one another, the last one wins; nulls mean absent and change nothing. */
export function mergeObjects(...layers: readonly (JsonObject | null | undefined)[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const key in layer) {
      if (unsafe.has(key) || layer[key] === null || layer[key] === undefined) continue;
      merged[key] = layer[key];
    }
  }
  return merged;
}
