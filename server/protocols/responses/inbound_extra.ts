/** Keys that the hub has no words for: kept for the one renderer that may read them (architecture.md, invariant 2). */

import type { Extra, Json } from "../../hub/item.ts";

/** Never copied from a caller's object into one of ours, whatever the engine makes of them. */
const unsafe: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** What of `value` is not in `known`; undefined, without a copy, when nothing is. */
export function extraOf(value: Json, known: ReadonlySet<string>): Extra | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in value) {
    if (known.has(key) || unsafe.has(key)) continue;
    rest ??= {};
    rest[key] = value[key];
  }
  return rest === undefined ? undefined : { responses: rest };
}

/** Lays objects over one another, the last one wins; nulls mean absent and change nothing. */
export function merge(...layers: readonly (Json | null | undefined)[]): Json {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const key in layer) {
      if (unsafe.has(key) || layer[key] === null || layer[key] === undefined) continue;
      merged[key] = layer[key];
    }
  }
  return merged;
}
