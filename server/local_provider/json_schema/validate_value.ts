/**
 * Whether a value satisfies a JSON schema. Made for choosing among values that we made ourselves: bounded, and
 * in doubt (budget spent, a pattern nobody can judge) it says yes.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { Budget } from "./work_budget.ts";
import { hasFormat } from "./string_formats.ts";
import {
  isJson,
  isSame,
  type Json,
  jsonOf,
  lengthOf,
  listOf,
  numberOf,
  ownOf,
  stringOf,
  stringsOf,
} from "./json_values.ts";
import type { Refs } from "./schema_refs.ts";
import { fits } from "./generate_matching_string.ts";

/** What judging needs besides schema and value. */
export interface Judge {
  readonly refs: Refs;
  readonly budget: Budget;
}

type Rule = (schema: Json, value: unknown, judge: Judge) => boolean;

const rules: readonly Rule[] = [
  byType,
  byValue,
  byNumber,
  byText,
  byArray,
  byContains,
  byObject,
  byNames,
  byChoice,
];

export function isValid(schema: unknown, value: unknown, judge: Judge): boolean {
  if (schema === false) return false;
  if (!isJson(schema) || !judge.budget.spend()) return true;
  return rules.every((rule) => rule(schema, value, judge));
}

/** The JSON Schema type names that a value has. */
export function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}

function byType(schema: Json, value: unknown): boolean {
  if (schema.type === undefined) return true;
  const wanted = typeof schema.type === "string" ? [schema.type] : stringsOf(schema.type);
  return typesOf(value).some((type) => wanted.includes(type));
}

function byValue(schema: Json, value: unknown): boolean {
  if (Object.hasOwn(schema, "const") && !isSame(schema.const, value)) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((one) => isSame(one, value));
}

function byNumber(schema: Json, value: unknown): boolean {
  if (typeof value !== "number") return true;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) return false;
  if (typeof maximum === "number" && value > maximum) return false;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== "number" || Number.isInteger(value / multipleOf);
}

function byText(schema: Json, value: unknown, { budget }: Judge): boolean {
  if (typeof value !== "string") return true;
  const length = lengthOf(value);
  if (length < (numberOf(schema.minLength) ?? 0) || length > (numberOf(schema.maxLength) ?? Infinity)) {
    return false;
  }
  if (typeof schema.pattern === "string" && fits(schema.pattern, value, { budget }) === false) return false;
  return typeof schema.format !== "string" || hasFormat(schema.format, value);
}

function byArray(schema: Json, value: unknown, judge: Judge): boolean {
  if (!Array.isArray(value)) return true;
  if (value.length < (numberOf(schema.minItems) ?? 0)) return false;
  if (value.length > (numberOf(schema.maxItems) ?? Infinity)) return false;
  if (schema.uniqueItems === true && hasTwins(value)) return false;
  return value.every((item, i) => isValid(itemSchema(schema, i), item, judge));
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}

/** The schema of the n-th item, in the spelling of any draft. */
export function itemSchema(schema: Json, n: number): unknown {
  const tuple = Array.isArray(schema.items) ? listOf(schema.items) : listOf(schema.prefixItems);
  if (n < tuple.length) return tuple[n];
  return (Array.isArray(schema.items) ? schema.additionalItems : schema.items) ?? true;
}

function byContains(schema: Json, value: unknown, judge: Judge): boolean {
  if (!Array.isArray(value) || schema.contains === undefined) return true;
  const found = value.filter((item) => isValid(schema.contains, item, judge)).length;
  return found >= (numberOf(schema.minContains) ?? 1) && found <= (numberOf(schema.maxContains) ?? Infinity);
}

function byObject(schema: Json, value: unknown, judge: Judge): boolean {
  if (!isJson(value)) return true;
  const names = Object.keys(value);
  if (names.length < (numberOf(schema.minProperties) ?? 0)) return false;
  if (names.length > (numberOf(schema.maxProperties) ?? Infinity)) return false;
  if (!stringsOf(schema.required).every((name) => Object.hasOwn(value, name))) return false;
  return names.every((name) =>
    schemasFor(schema, name, judge).every((one) => isValid(one, ownValue(value, name), judge))
  );
}

/** Every schema that a property of this name has to satisfy. */
export function schemasFor(schema: Json, name: string, { budget }: Judge): readonly unknown[] {
  const own = ownOf(jsonOf(schema.properties), name);
  const patterned = Object.entries(jsonOf(schema.patternProperties))
    .filter(([pattern]) => fits(pattern, name, { budget }) !== false)
    .map(([, one]) => one);
  const found = own === undefined ? patterned : [own, ...patterned];
  if (found.length > 0 || schema.additionalProperties === undefined) return found;
  return [schema.additionalProperties];
}

function byNames(schema: Json, value: unknown, judge: Judge): boolean {
  if (!isJson(value)) return true;
  const { propertyNames } = schema;
  if (
    propertyNames !== undefined && !Object.keys(value).every((name) => isValid(propertyNames, name, judge))
  ) {
    return false;
  }
  const dependent = { ...jsonOf(schema.dependencies), ...jsonOf(schema.dependentRequired) };
  const schemas = { ...dependent, ...jsonOf(schema.dependentSchemas) };
  return Object.entries(schemas).every(([name, needed]) => {
    if (!Object.hasOwn(value, name)) return true;
    if (Array.isArray(needed)) return stringsOf(needed).every((one) => Object.hasOwn(value, one));
    return isValid(needed, value, judge);
  });
}

function byChoice(schema: Json, value: unknown, judge: Judge): boolean {
  const valid = (one: unknown) => isValid(one, value, judge);
  const ref = stringOf(schema.$ref) ?? stringOf(schema.$dynamicRef);
  if (ref !== undefined && !valid(judge.refs.find(ref))) return false;
  if (!listOf(schema.allOf).every(valid)) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(valid)) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(valid).length !== 1) return false;
  if (schema.not !== undefined && valid(schema.not)) return false;
  if (schema.if === undefined) return true;
  return valid(valid(schema.if) ? schema.then ?? true : schema.else ?? true);
}
