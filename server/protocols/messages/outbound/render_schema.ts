/**
 * JSON schemas as the provider's constrained output takes them: every object closed, a subset of the keywords.
 * What it does not know becomes words in the description, so that the model still reads it.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Undefined for a schema whose meaning would be lost: an object that may have any keys cannot be closed. */
export function renderSchema(schema: JsonObject): JsonObject | undefined {
  try {
    return cleaned(schema);
  } catch (error) {
    if (error instanceof OpenObject) return undefined;
    throw error;
  }
}

class OpenObject extends Error {}

const kept: ReadonlySet<string> = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "default",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "title",
  "type",
]);

/** Names the dialect or the schema itself and constrains nothing. */
const silent: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "examples"]);

const formats: readonly unknown[] = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
];

function cleaned(schema: JsonObject): JsonObject {
  const out: Record<string, unknown> = {};
  const words: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$defs" || key === "definitions" || key === "properties") out[key] = eachValue(value);
    else if (key === "anyOf" || key === "oneOf") out.anyOf = each(value);
    else if (key === "allOf") out.allOf = each(value);
    else if (key === "items") out.items = isRecord(value) ? cleaned(value) : value;
    else if (key === "format" && formats.includes(value)) out.format = value;
    else if (key === "minItems" && (value === 0 || value === 1)) out.minItems = value;
    else if (kept.has(key)) out[key] = value;
    else if (!silent.has(key)) words.push(`${key}: ${JSON.stringify(value)}`);
  }
  return { ...out, ...closeObject(schema), ...described(schema, words) };
}

const eachValue = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isRecord(inner) ? cleaned(inner) : inner]),
    )
    : value;

const each = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((inner: unknown) => isRecord(inner) ? cleaned(inner) : inner) : value;

/** An object lists its keys: one that lists none, or says what others look like, is open. */
function closeObject(schema: JsonObject): JsonObject {
  const isObject = schema.type === "object" || (Array.isArray(schema.type) && schema.type.includes("object"));
  if (!isObject && schema.properties === undefined) return {};
  if (isRecord(schema.additionalProperties)) throw new OpenObject();
  const listed = isRecord(schema.properties) && Object.keys(schema.properties).length > 0;
  if (!listed && schema.additionalProperties !== false) throw new OpenObject();
  return { additionalProperties: false };
}

function described({ description }: JsonObject, words: readonly string[]): JsonObject {
  if (words.length === 0) return {};
  const own = typeof description === "string" && description !== "" ? [description] : [];
  return { description: [...own, `(${words.join(", ")})`].join(" ") };
}
