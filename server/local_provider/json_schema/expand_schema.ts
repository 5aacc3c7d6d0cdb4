/** Turns a schema with references and choices into plain ones: one for every way of satisfying it. */

import { isRecord } from "../../../shared/util/json.ts";
import type { WorkBudget } from "./work_budget.ts";
import {
  isEqualJson,
  type JsonRecord,
  toList,
  toNumber,
  toRecord,
  toStrings,
  toText,
} from "./json_values.ts";
import type { SchemaRefs } from "./schema_refs.ts";

const choosers = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else"];
const MAX_REFS = 24;

interface ExpandOptions {
  readonly refs: SchemaRefs;
  readonly budget: WorkBudget;
  /** Deep inside an answer the shortest way out comes first, else `null` comes last. */
  readonly shallow: boolean;
  /** References followed without anything in between. */
  readonly hops?: number;
}

/** The ways of satisfying `schema`, as schemas without references and choices; false ones are left out. */
export function* expandSchema(schema: unknown, how: ExpandOptions): Generator<JsonRecord> {
  if (schema === false || !how.budget.spend() || (how.hops ?? 0) > MAX_REFS) return;
  if (!isRecord(schema)) {
    yield {};
    return;
  }
  yield* combined(plain(schema), layersOf(schema, how.refs), how);
}

function plain(schema: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !choosers.includes(key)));
}

/** Schemas that have to hold besides the plain keywords: a list of layers, each with its alternatives. */
function layersOf(schema: JsonRecord, refs: SchemaRefs): readonly (readonly unknown[])[] {
  const layers: (readonly unknown[])[] = [];
  const ref = toText(schema.$ref) ?? toText(schema.$dynamicRef);
  if (ref !== undefined) layers.push([refs.find(ref)]);
  for (const one of toList(schema.allOf)) layers.push([one]);
  if (Array.isArray(schema.anyOf)) layers.push(schema.anyOf);
  if (Array.isArray(schema.oneOf)) layers.push(schema.oneOf);
  if (schema.if !== undefined) {
    layers.push([{ allOf: [schema.if, schema.then ?? true] }, schema.else ?? true]);
  }
  return layers;
}

function* combined(
  base: JsonRecord,
  layers: readonly (readonly unknown[])[],
  how: ExpandOptions,
): Generator<JsonRecord> {
  const [layer, ...rest] = layers;
  if (layer === undefined) {
    yield base;
    return;
  }
  for (const branch of inOrder(layer, how.shallow)) {
    for (const way of expandSchema(branch, { ...how, hops: (how.hops ?? 0) + 1 })) {
      if (!how.budget.spend()) return;
      const merged = merge(base, way);
      if (merged !== undefined) yield* combined(merged, rest, how);
    }
  }
}

/** Branches with the wanted ones first. */
function inOrder(branches: readonly unknown[], shallow: boolean): readonly unknown[] {
  const few = branches.slice(0, 64);
  return few.toSorted((a, b) => shallow ? Number(isNull(a)) - Number(isNull(b)) : cost(a) - cost(b));
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && (schema.type === "null" || schema.const === null);
}

function cost(schema: unknown): number {
  if (!isRecord(schema)) return 1;
  if (isNull(schema)) return 0;
  if (schema.const !== undefined || schema.enum !== undefined) return 1;
  if (schema.type === "array") return 3;
  if (schema.type === "object" || schema.properties !== undefined) return 4;
  return schema.type === undefined ? 5 : 1;
}

type Joiner = (a: unknown, b: unknown) => unknown;

const larger: Joiner = (a, b) => Math.max(toNumber(a) ?? -Infinity, toNumber(b) ?? -Infinity);
const smaller: Joiner = (a, b) => Math.min(toNumber(a) ?? Infinity, toNumber(b) ?? Infinity);
const both: Joiner = (a, b) => (isEqualJson(a, b) ? a : { allOf: [a, b] });

/** How two values of one keyword become one. Keywords that are not here: the second wins. */
const joiners: Readonly<Record<string, Joiner>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  items: both,
  contains: both,
  additionalProperties: both,
  propertyNames: both,
  pattern: (a) => a,
  not: (a, b) => ({ anyOf: [a, b] }),
  required: (a, b) => [...new Set([...toStrings(a), ...toStrings(b)])],
  enum: (a, b) => toList(a).filter((one) => toList(b).some((other) => isEqualJson(one, other))),
  type: sharedTypes,
  properties: joinProperties,
  patternProperties: joinProperties,
};

/** One schema for two that both hold; undefined when they share no type. */
function merge(a: JsonRecord, b: JsonRecord): JsonRecord | undefined {
  const merged = new Map<string, unknown>(Object.entries(a));
  for (const [key, value] of Object.entries(b)) {
    const join = Object.hasOwn(joiners, key) ? joiners[key] : undefined;
    merged.set(key, merged.has(key) && join !== undefined ? join(merged.get(key), value) : value);
  }
  const type = merged.get("type");
  return Array.isArray(type) && type.length === 0 ? undefined : Object.fromEntries(merged);
}

function typeList(type: unknown): readonly string[] {
  return typeof type === "string" ? [type] : toStrings(type);
}

function sharedTypes(a: unknown, b: unknown): readonly string[] {
  const [left, right] = [typeList(a), typeList(b)];
  const shared = left.filter((type) => right.includes(type));
  const isWhole = (one: readonly string[], other: readonly string[]) =>
    one.includes("integer") && other.includes("number") && !shared.includes("integer");
  return isWhole(left, right) || isWhole(right, left) ? [...shared, "integer"] : shared;
}

function joinProperties(a: unknown, b: unknown): JsonRecord {
  const joined = new Map<string, unknown>(Object.entries(toRecord(a)));
  for (const [name, schema] of Object.entries(toRecord(b))) {
    joined.set(name, joined.has(name) ? both(joined.get(name), schema) : schema);
  }
  return Object.fromEntries(joined);
}
