/** Keys of a request that the canonical model has no words for, and objects laid over one another. */

import { isRecord } from "../../../../shared/util/json.ts";
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

/** Which keys of an object inside a body the canonical model has words for, by the object's path (`text.format`). */
export type NestedKeys = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Fields of a body that are not in `known`, and those of the objects inside it that are not in `nested`: the
 * latter under both keys, as in `output_config.task_budget`. Undefined, without a copy, when there are none.
 */
export function pickAllUnknown(
  body: JsonObject,
  { known, nested }: { readonly known: ReadonlySet<string>; readonly nested: NestedKeys },
): JsonObject | undefined {
  let all = pickUnknown(body, known);
  for (const key in nested) {
    const inner = key.split(".").reduce<unknown>((at, step) => isRecord(at) ? at[step] : undefined, body);
    const rest = isRecord(inner) ? pickUnknown(inner, nested[key] ?? known) : undefined;
    for (const name in rest) all = { ...all, [`${key}.${name}`]: rest[name] };
  }
  return all;
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
