/**
 * Whether a value satisfies a JSON schema. Made for choosing among values that we made ourselves: bounded, and
 * in doubt (budget spent, a pattern nobody can judge) it says yes.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import { isRecord } from "../../../shared/util/json.ts";
import type { WorkBudget } from "./work_budget.ts";
import { matchesFormat } from "./string_formats.ts";
import {
  codePointLength,
  isEqualJson,
  type JsonRecord,
  ownProperty,
  toList,
  toNumber,
  toRecord,
  toStrings,
  toText,
} from "./json_values.ts";
import type { SchemaRefs } from "./schema_refs.ts";
import { matchesPattern } from "./generate_matching_string.ts";

/** Context of validation besides schema and value. */
interface ValidationContext {
  readonly refs: SchemaRefs;
  readonly budget: WorkBudget;
}

type Rule = (schema: JsonRecord, value: unknown, judge: ValidationContext) => boolean;

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

export function isValidValue(schema: unknown, value: unknown, judge: ValidationContext): boolean {
  if (schema === false) return false;
  if (!isRecord(schema) || !judge.budget.spend()) return true;
  return rules.every((rule) => rule(schema, value, judge));
}

/** The JSON Schema type names that a value has. */
function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}

function byType(schema: JsonRecord, value: unknown): boolean {
  if (schema.type === undefined) return true;
  const wanted = typeof schema.type === "string" ? [schema.type] : toStrings(schema.type);
  return typesOf(value).some((type) => wanted.includes(type));
}

function byValue(schema: JsonRecord, value: unknown): boolean {
  if (Object.hasOwn(schema, "const") && !isEqualJson(schema.const, value)) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((one) => isEqualJson(one, value));
}

function byNumber(schema: JsonRecord, value: unknown): boolean {
  if (typeof value !== "number") return true;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) return false;
  if (typeof maximum === "number" && value > maximum) return false;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== "number" || Number.isInteger(value / multipleOf);
}

function byText(schema: JsonRecord, value: unknown, { budget }: ValidationContext): boolean {
  if (typeof value !== "string") return true;
  const length = codePointLength(value);
  if (length < (toNumber(schema.minLength) ?? 0) || length > (toNumber(schema.maxLength) ?? Infinity)) {
    return false;
  }
  if (typeof schema.pattern === "string" && matchesPattern(schema.pattern, value, { budget }) === false) {
    return false;
  }
  return typeof schema.format !== "string" || matchesFormat(schema.format, value);
}

function byArray(schema: JsonRecord, value: unknown, judge: ValidationContext): boolean {
  if (!Array.isArray(value)) return true;
  if (value.length < (toNumber(schema.minItems) ?? 0)) return false;
  if (value.length > (toNumber(schema.maxItems) ?? Infinity)) return false;
  if (schema.uniqueItems === true && hasTwins(value)) return false;
  return value.every((item, i) => isValidValue(itemSchema(schema, i), item, judge));
}

function hasTwins(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item))).size < items.length;
}

/** The schema of the n-th item, in the spelling of any draft. */
export function itemSchema(schema: JsonRecord, n: number): unknown {
  const tuple = Array.isArray(schema.items) ? toList(schema.items) : toList(schema.prefixItems);
  if (n < tuple.length) return tuple[n];
  return (Array.isArray(schema.items) ? schema.additionalItems : schema.items) ?? true;
}

function byContains(schema: JsonRecord, value: unknown, judge: ValidationContext): boolean {
  if (!Array.isArray(value) || schema.contains === undefined) return true;
  const found = value.filter((item) => isValidValue(schema.contains, item, judge)).length;
  return found >= (toNumber(schema.minContains) ?? 1) && found <= (toNumber(schema.maxContains) ?? Infinity);
}

function byObject(schema: JsonRecord, value: unknown, judge: ValidationContext): boolean {
  if (!isRecord(value)) return true;
  const names = Object.keys(value);
  if (names.length < (toNumber(schema.minProperties) ?? 0)) return false;
  if (names.length > (toNumber(schema.maxProperties) ?? Infinity)) return false;
  if (!toStrings(schema.required).every((name) => Object.hasOwn(value, name))) return false;
  return names.every((name) =>
    schemasFor(schema, name, judge).every((one) => isValidValue(one, ownValue(value, name), judge))
  );
}

/** Every schema that a property of this name has to satisfy. */
export function schemasFor(
  schema: JsonRecord,
  name: string,
  { budget }: ValidationContext,
): readonly unknown[] {
  const own = ownProperty(toRecord(schema.properties), name);
  const patterned = Object.entries(toRecord(schema.patternProperties))
    .filter(([pattern]) => matchesPattern(pattern, name, { budget }) !== false)
    .map(([, one]) => one);
  const found = own === undefined ? patterned : [own, ...patterned];
  if (found.length > 0 || schema.additionalProperties === undefined) return found;
  return [schema.additionalProperties];
}

function byNames(schema: JsonRecord, value: unknown, judge: ValidationContext): boolean {
  if (!isRecord(value)) return true;
  const { propertyNames } = schema;
  if (
    propertyNames !== undefined &&
    !Object.keys(value).every((name) => isValidValue(propertyNames, name, judge))
  ) {
    return false;
  }
  const dependent = { ...toRecord(schema.dependencies), ...toRecord(schema.dependentRequired) };
  const schemas = { ...dependent, ...toRecord(schema.dependentSchemas) };
  return Object.entries(schemas).every(([name, needed]) => {
    if (!Object.hasOwn(value, name)) return true;
    if (Array.isArray(needed)) return toStrings(needed).every((one) => Object.hasOwn(value, one));
    return isValidValue(needed, value, judge);
  });
}

function byChoice(schema: JsonRecord, value: unknown, judge: ValidationContext): boolean {
  const valid = (one: unknown) => isValidValue(one, value, judge);
  const ref = toText(schema.$ref) ?? toText(schema.$dynamicRef);
  if (ref !== undefined && !valid(judge.refs.find(ref))) return false;
  if (!toList(schema.allOf).every(valid)) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(valid)) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(valid).length !== 1) return false;
  if (schema.not !== undefined && valid(schema.not)) return false;
  if (schema.if === undefined) return true;
  return valid(valid(schema.if) ? schema.then ?? true : schema.else ?? true);
}
