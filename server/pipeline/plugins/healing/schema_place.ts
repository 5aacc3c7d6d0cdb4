/** Places of a schema: what it says of a member of a value. */

import { isRecord } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";

/** References that are followed from one place. */
const MOST_REFERENCES = 10;

/** Follows references to `#` and to named places of the same schema; undefined where that leads nowhere. */
export function resolvedSchema(schema: unknown, root: JsonObject): unknown {
  let place = schema;
  for (let followed = 0; followed < MOST_REFERENCES; followed++) {
    if (!isRecord(place) || place["$ref"] === undefined) return place;
    place = referenced(place["$ref"], root);
  }
  return undefined;
}

function referenced($ref: unknown, root: JsonObject): unknown {
  if ($ref === "#") return root;
  const path = typeof $ref === "string" ? /^#\/([^/]+)\/([^/]+)$/.exec($ref) : null;
  const schemas = path === null ? undefined : ownValue(root, path[1] ?? "");
  return isRecord(schemas) ? ownValue(schemas, path?.[2] ?? "") : undefined;
}

/** The schema of a member: of the property with that name, or of the items of a list. */
export function memberSchema(schema: unknown, name: string | undefined): unknown {
  if (!isRecord(schema)) return undefined;
  if (name === undefined) return schema["items"];
  const { properties } = schema;
  return isRecord(properties) ? ownValue(properties, name) : undefined;
}

/** Schemas of which one has to be satisfied, with all that they refer to. */
export function alternatives(schema: unknown, root: JsonObject): readonly unknown[] {
  const place = resolvedSchema(schema, root);
  if (!isRecord(place)) return [place];
  const listed = place["anyOf"] ?? place["oneOf"];
  return Array.isArray(listed) ? listed.map((one) => resolvedSchema(one, root)) : [place];
}

/** Types that a value may have; undefined where the schema does not say. */
export function typesOf(schema: unknown, root: JsonObject): ReadonlySet<unknown> | undefined {
  const types = new Set<unknown>();
  for (const one of alternatives(schema, root)) {
    if (!isRecord(one)) return undefined;
    const { type, enum: listed, const: only, properties } = one;
    const values = Array.isArray(listed) ? listed : only === undefined ? undefined : [only];
    if (type !== undefined) [type].flat().forEach((word) => types.add(word));
    else if (values !== undefined) {
      values.forEach((value) => types.add(value === null ? "null" : typeof value));
    } else if (properties !== undefined) types.add("object");
    else return undefined;
  }
  return types;
}
