/** Keys of a request that the canonical model has no words for, and objects laid over one another. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Never copied from a caller's object into one of ours, whatever the engine makes of them. */
const unsafe: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Picks the fields of `value` that are not in `known`; undefined, without a copy, when there are none. */
export function pickUnknown(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in value) {
    if (known.has(key) || unsafe.has(key)) continue;
    rest ??= {};
    rest[key] = value[key];
  }
  return rest;
}

/** An object inside a body, by its path (`text.format`), and which of its keys the canonical model has words for. */
interface NestedKeys {
  readonly path: string;
  readonly steps: readonly string[];
  readonly known: ReadonlySet<string>;
}

export const nestedKeys = (keys: Readonly<Record<string, ReadonlySet<string>>>): readonly NestedKeys[] =>
  Object.entries(keys).map(([path, known]) => ({ path, steps: path.split("."), known }));

/** The object at a path; undefined where there is none. */
function objectAt(body: JsonObject, steps: readonly string[]): JsonObject | undefined {
  let at = body;
  for (const step of steps) {
    const next = at[step];
    if (!isRecord(next)) return undefined;
    at = next;
  }
  return at;
}

/**
 * Fields of a body that are not in `known`, and those of the objects inside it that are not in `nested`: the
 * latter under both keys, as in `output_config.task_budget`. Undefined, without a copy, when there are none.
 */
export function pickAllUnknown(
  body: JsonObject,
  { known, nested }: { readonly known: ReadonlySet<string>; readonly nested: readonly NestedKeys[] },
): JsonObject | undefined {
  let all = pickUnknown(body, known);
  for (const { path, steps, known: ofObject } of nested) {
    const inner = objectAt(body, steps);
    const rest = inner && pickUnknown(inner, ofObject);
    for (const name in rest) all = { ...all, [`${path}.${name}`]: rest[name] };
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
