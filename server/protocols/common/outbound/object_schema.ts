/** Schemas of tools' parameters as every provider takes them. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { resolveRef } from "./schema_refs.ts";

/**
 * An object at the top, with its properties, and no choice between several: their keys are put together, and what all
 * of them require is required. The same schema where it is so already.
 */
export function objectSchema(schema: JsonObject): JsonObject {
  if (isPlainObject(schema)) return schema;
  const { anyOf, oneOf, allOf, $ref: ref, enum: _values, not: _not, ...rest } = schema;
  const whole = [...branchesOf(schema, [{ $ref: ref }]), ...branchesOf(schema, allOf)];
  const choices = [...branchesOf(schema, anyOf), ...branchesOf(schema, oneOf)];
  const required = new Set([...listed(schema), ...whole.flatMap(listed), ...sharedBy(choices)]);
  return {
    ...rest,
    type: "object",
    properties: mergeProperties(schema, [...choices, ...whole]),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

/** Whether a schema leaves the choice between several to the model, which no form of ours can hold it to. */
export const hasRootChoice = ({ anyOf, oneOf }: JsonObject): boolean =>
  Array.isArray(anyOf) || Array.isArray(oneOf);

const refused = ["$ref", "allOf", "anyOf", "enum", "not", "oneOf"] as const;

const isPlainObject = (schema: JsonObject): boolean =>
  schema.type === "object" && isRecord(schema.properties) &&
  refused.every((key) => schema[key] === undefined);

/** How often a reference may lead to another. */
const MOST_STEPS = 8;

function branchesOf(root: JsonObject, list: unknown): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).map((branch) => {
    let at = branch;
    for (let step = 0; typeof at.$ref === "string" && step < MOST_STEPS; step++) {
      at = resolveRef(root, at.$ref) ?? {};
    }
    return at;
  });
}

/** A property that several of them have takes what any of them takes; the schema's own wins. */
function mergeProperties({ properties: own }: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const found = new Map<string, unknown[]>();
  for (const { properties } of branches) {
    for (const [name, one] of isRecord(properties) ? Object.entries(properties) : []) {
      const known = found.get(name) ?? [];
      if (!known.some((other) => isSame(other, one))) found.set(name, [...known, one]);
    }
  }
  const inherited = [...found].map(([name, all]) => [name, all.length === 1 ? all[0] : { anyOf: all }]);
  return Object.fromEntries([...inherited, ...(isRecord(own) ? Object.entries(own) : [])]);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const listed = ({ required }: JsonObject): readonly unknown[] => Array.isArray(required) ? required : [];

/** Keys that every branch requires. */
function sharedBy([first, ...others]: readonly JsonObject[]): readonly unknown[] {
  if (first === undefined) return [];
  return listed(first).filter((key) => others.every((branch) => listed(branch).includes(key)));
}
