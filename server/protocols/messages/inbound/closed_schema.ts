/** Whether a JSON schema is one that every provider can hold a model to as it stands. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Whether all objects in a schema list all their keys: each property is required, and there are no others. */
export function isClosedSchema(schema: JsonObject): boolean {
  return isClosedObject(schema) && innerSchemas(schema).every(isClosedSchema);
}

function isClosedObject({ type, properties, required, additionalProperties }: JsonObject): boolean {
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isObject && properties === undefined) return true;
  if (additionalProperties !== false || !isRecord(properties)) return false;
  return Object.keys(properties).every((name) => Array.isArray(required) && required.includes(name));
}

const mapKeys = ["properties", "$defs", "definitions"] as const;
const listKeys = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;

function innerSchemas(schema: JsonObject): readonly JsonObject[] {
  const inner = [
    ...mapKeys.flatMap((key) => isRecord(schema[key]) ? Object.values(schema[key]) : []),
    ...listKeys.flatMap((key) => Array.isArray(schema[key]) ? schema[key] : []),
    schema.items,
  ];
  return inner.filter(isRecord);
}
