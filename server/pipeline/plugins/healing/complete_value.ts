/**
 * Whether the schema leaves nothing that could have stood behind the end of a value whose last brackets are missing:
 * then they are all that is missing.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { memberSchema, resolvedSchema } from "./schema_place.ts";

interface OpenValue {
  readonly value: unknown;
  readonly schema: JsonObject | undefined;
  /** Brackets that are missing, of the value and of the last one in it, and so on. */
  readonly missing: number;
}

/** True where every object that is open has all its properties, and every list as many items as it may have. */
export function isComplete({ value, schema, missing }: OpenValue): boolean {
  if (schema === undefined) return false;
  let place: Place = { value, schema: resolvedSchema(schema, schema) };
  for (let level = 0; level < missing; level++) {
    if (!isFull(place)) return false;
    const next: Place = lastMember(place, schema);
    place = next;
  }
  return true;
}

interface Place {
  readonly value: unknown;
  readonly schema: unknown;
}

function isFull({ value, schema }: Place): boolean {
  if (!isRecord(schema)) return false;
  if (Array.isArray(value)) return schema["maxItems"] === value.length;
  const { properties, additionalProperties = false, patternProperties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return false;
  if (additionalProperties !== false || patternProperties !== undefined) return false;
  const names = Object.keys(properties);
  return names.length > 0 && names.every((name) => Object.hasOwn(value, name));
}

function lastMember({ value, schema }: Place, root: JsonObject): Place {
  const isList = Array.isArray(value);
  const name = isList ? undefined : Object.keys(Object(value)).at(-1) ?? "";
  const member = isList ? value.at(-1) : isRecord(value) ? ownValue(value, name ?? "") : undefined;
  return { value: member, schema: resolvedSchema(memberSchema(schema, name), root) };
}
