/** References inside a JSON schema, and schemas that are told in several parts. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../canonical/item.ts";

export const isSchema = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What `#/$defs/name` stands for; undefined for what is not in the document. */
export function resolveRef(root: JsonObject, ref: string): JsonObject | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const key = unescaped(step);
    at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined;
  }
  return isSchema(at) ? at : undefined;
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch (error) {
    if (error instanceof URIError) return plain;
    throw error;
  }
}

/** One schema for several that hold together: their properties and what they require add up, else the first holds. */
export function mergeSchemas(parts: readonly JsonObject[]): JsonObject {
  return parts.reduce((whole, part) => ({
    ...part,
    ...whole,
    ...joined("properties", [part, whole]),
    ...required([whole, part]),
  }), {});
}

function joined(key: string, parts: readonly JsonObject[]): JsonObject {
  const all = parts.map((part) => ownValue(part, key)).filter(isSchema);
  return all.length === 0 ? {} : { [key]: Object.assign({}, ...all) };
}

function required(parts: readonly JsonObject[]): JsonObject {
  const all = parts.flatMap(({ required }) => Array.isArray(required) ? required : []);
  return all.length === 0 ? {} : { required: [...new Set(all)] };
}
