/**
 * JSON schemas as `parametersJsonSchema` and `responseJsonSchema` take them: plain JSON schema, but a subset of
 * its keywords, and references only where nothing stands beside them. References are written out, keywords with
 * another spelling get it, and what the provider does not know becomes words in the description, so that the
 * model still reads it.
 */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import { resolveRef } from "../../common/outbound/schema_refs.ts";

/** How often a reference may stand inside itself, and how many schemas come of it all. */
const MOST_ROUNDS = 3;
const MOST_NODES = 5_000;

interface Walk {
  readonly root: JsonObject;
  /** References on the way from the root to here. */
  readonly within: readonly string[];
  readonly count: { nodes: number };
}

export function renderSchema(schema: JsonObject): JsonObject {
  return clean(schema, { root: schema, within: [], count: { nodes: 0 } });
}

const kept: ReadonlySet<string> = new Set([
  "description",
  "maxItems",
  "maximum",
  "minItems",
  "minimum",
  "propertyOrdering",
  "required",
  "title",
  "type",
]);

/** Names the dialect or the schema itself, or stands elsewhere already, and constrains nothing here. */
const silent: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "allOf",
  "const",
  "definitions",
  "enum",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "oneOf",
]);

const lists: ReadonlySet<string> = new Set(["anyOf", "oneOf", "prefixItems"]);
const formats: readonly unknown[] = ["date-time", "date", "time", "int32", "int64", "float", "double"];

function clean(input: JsonObject, walk: Walk): JsonObject {
  if (++walk.count.nodes > MOST_NODES) return {};
  const { $ref: ref } = input;
  if (typeof ref === "string") return inlined(input, ref, walk);
  const schema = Array.isArray(input.allOf) ? merged(input, walk) : input;
  const out: Record<string, unknown> = { ...bounds(schema), ...choices(schema) };
  const words: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") out.properties = eachValue(value, walk);
    else if (lists.has(key)) out[key === "oneOf" ? "anyOf" : key] = each(value, walk);
    else if (key === "items") out.items = cleanOr(value, walk);
    else if (key === "additionalProperties") {
      out[key] = typeof value === "boolean" ? value : cleanOr(value, walk);
    } else if (key === "format" && formats.includes(value)) out.format = value;
    else if (kept.has(key)) out[key] ??= value;
    else if (!silent.has(key)) words.push(`${key}: ${JSON.stringify(value)}`);
  }
  return described(out, [...describeBounds(schema), ...words]);
}

const cleanOr = (value: unknown, walk: Walk): JsonObject => isRecord(value) ? clean(value, walk) : {};

const each = (value: unknown, walk: Walk): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((one) => cleanOr(one, walk)) : [];

function eachValue(value: unknown, walk: Walk): JsonObject {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cleanOr(one, walk)]));
}

function described(schema: Readonly<Record<string, unknown>>, words: readonly string[]): JsonObject {
  if (words.length === 0) return schema;
  const before = typeof schema.description === "string" ? `${schema.description}\n` : "";
  return { ...schema, description: `${before}(${words.join("; ")})` };
}

/** Inlines a reference; the keys beside it win over its target, and one that turns in circles ends as any value. */
function inlined({ $ref: _ref, ...beside }: JsonObject, ref: string, walk: Walk): JsonObject {
  const target = resolveRef(walk.root, ref);
  const rounds = walk.within.filter((one) => one === ref).length;
  if (target === undefined || rounds >= MOST_ROUNDS) return clean(beside, walk);
  return clean({ ...target, ...beside }, { ...walk, within: [...walk.within, ref] });
}

const merged = (schema: JsonObject, walk: Walk): JsonObject => mergeSchemas(conjuncts(schema, walk));

/** All that holds together, references and lists inside lists written out. */
function conjuncts({ allOf, $ref: ref, ...beside }: JsonObject, walk: Walk): readonly JsonObject[] {
  const target = typeof ref === "string" && !walk.within.includes(ref)
    ? resolveRef(walk.root, ref)
    : undefined;
  const inside = typeof ref === "string" ? { ...walk, within: [...walk.within, ref] } : walk;
  const parts = Array.isArray(allOf) ? allOf.filter(isRecord) : [];
  if (++walk.count.nodes > MOST_NODES) return [beside];
  return [
    beside,
    ...(target === undefined ? [] : conjuncts(target, inside)),
    ...parts.flatMap((part) => conjuncts(part, walk)),
  ];
}

/** The provider knows enumerations of texts and numbers; a constant is one of a single value. */
function choices({ enum: listed, const: only, type }: JsonObject): JsonObject {
  const all = Array.isArray(listed) ? listed : only === undefined ? [] : [only];
  const values = all.filter((value) => typeof value === "string" || typeof value === "number");
  if (all.length === 0) return {};
  if (values.length === all.length) return { enum: values };
  if (values.length === 0) return { type: type ?? typeOf(all[0]) };
  const others = all.filter((value) => !values.includes(value)).map((value) => ({ type: typeOf(value) }));
  return { anyOf: [{ enum: values }, ...others] };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/**
 * Renders exclusive bounds: those of whole numbers move by one; others stay, and the description says that they are
 * left out themselves.
 */
function bounds({ exclusiveMinimum, exclusiveMaximum, type }: JsonObject): JsonObject {
  const step = type === "integer" ? 1 : 0;
  return {
    ...(typeof exclusiveMinimum === "number" ? { minimum: exclusiveMinimum + step } : {}),
    ...(typeof exclusiveMaximum === "number" ? { maximum: exclusiveMaximum - step } : {}),
  };
}

function describeBounds(
  { exclusiveMinimum, exclusiveMaximum, type }: JsonObject,
): readonly string[] {
  if (type === "integer") return [];
  return [
    ...(typeof exclusiveMinimum === "number" ? [`greater than ${exclusiveMinimum}`] : []),
    ...(typeof exclusiveMaximum === "number" ? [`less than ${exclusiveMaximum}`] : []),
  ];
}

/** One schema for several that hold together: their properties and what they require add up, else the first holds. */
function mergeSchemas(parts: readonly JsonObject[]): JsonObject {
  return parts.reduce((whole, part) => ({
    ...part,
    ...whole,
    ...joined("properties", [part, whole]),
    ...required([whole, part]),
  }), {});
}

function joined(key: string, parts: readonly JsonObject[]): JsonObject {
  const all = parts.map((part) => ownValue(part, key)).filter(isRecord);
  return all.length === 0 ? {} : { [key]: Object.assign({}, ...all) };
}

function required(parts: readonly JsonObject[]): JsonObject {
  const all = parts.flatMap(({ required }) => Array.isArray(required) ? required : []);
  return all.length === 0 ? {} : { required: [...new Set(all)] };
}
