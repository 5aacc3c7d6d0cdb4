/**
 * Makes a value that satisfies a JSON schema, out of what a user said: deterministic, without any request to
 * the outside, and bounded in time and size whatever the schema is. Every candidate is judged before it is
 * taken, so unions, `not` and conditions come out right; a schema that cannot be satisfied within the budget
 * gets a plain value of its type.
 */

import { isRecord } from "../../../shared/util/json.ts";
import { createBudget, type WorkBudget } from "./work_budget.ts";
import { expandSchema } from "./expand_schema.ts";
import { type JsonRecord, ownProperty, toList, toNumber, toRecord, toStrings } from "./json_values.ts";
import { indexRefs, type SchemaRefs } from "./schema_refs.ts";
import { generateMatching } from "./generate_matching_string.ts";
import { isValidValue, itemSchema, schemasFor } from "./validate_value.ts";
import { candidateNumbers, candidateStrings, type ValuePosition } from "./candidate_values.ts";
import type { PromptWords } from "./prompt_words.ts";

const WORK = 6_000;
const JUDGING = 100_000;
const MAX_DEPTH = 32;
const MAX_ITEMS = 200;
/** Below this depth optional properties and items are left out. */
const SHALLOW = 4;
const MAX_REQUIRED = 2_000;
const VARIANTS = 4;

interface GenerateContext {
  readonly refs: SchemaRefs;
  readonly words: PromptWords;
  readonly work: WorkBudget;
  readonly judging: WorkBudget;
}

/** A value for `schema`; strings come from `words` where the schema leaves the choice. */
export function generateValue(schema: unknown, words: PromptWords): unknown {
  const making: GenerateContext = {
    refs: indexRefs(schema),
    words,
    work: createBudget(WORK),
    judging: createBudget(JUDGING),
  };
  try {
    const found = values(making, schema, { depth: 0, name: "" }).next();
    return found.done === true ? fallbackValue(schema) : found.value;
  } catch (error) {
    if (error instanceof RangeError) return fallbackValue(schema);
    throw error;
  }
}

function fallbackValue(schema: unknown): unknown {
  const type = toRecord(schema).type;
  if (type === "string") return "";
  if (type === "array") return [];
  if (type === "number" || type === "integer") return 0;
  if (type === "boolean") return true;
  return type === "null" ? null : {};
}

/** Every value that we can think of and that the schema accepts. */
function* values(making: GenerateContext, schema: unknown, spot: ValuePosition): Generator<unknown> {
  if (spot.depth > MAX_DEPTH || !making.work.spend()) return;
  const how = { refs: making.refs, budget: making.work, shallow: spot.depth < SHALLOW };
  const judge = { refs: making.refs, budget: making.judging };
  for (const way of expandSchema(schema, how)) {
    for (const value of candidates(making, way, spot)) {
      if (!making.work.spend()) return;
      if (isValidValue(schema, value, judge)) yield value;
    }
  }
}

function* candidates(making: GenerateContext, schema: JsonRecord, spot: ValuePosition): Generator<unknown> {
  if (Object.hasOwn(schema, "const")) return yield schema.const;
  if (Array.isArray(schema.enum)) return yield* mentionedFirst(schema.enum, making.words);
  for (const type of typesFor(schema, spot)) yield* ofType(type, making, { schema, spot });
}

/** Values that the user's text names come first. */
function mentionedFirst(options: readonly unknown[], words: PromptWords): readonly unknown[] {
  const few = options.slice(0, 1_000);
  const text = words.text.toLowerCase();
  const isNamed = (option: unknown) =>
    typeof option === "string" && option.length > 1 && text.includes(option.toLowerCase());
  return [...few.filter(isNamed), ...few.filter((option) => !isNamed(option) && option !== null), null]
    .filter((option) => option !== null || few.includes(null));
}

const hints: readonly (readonly [string, readonly string[]])[] = [
  ["object", ["properties", "required", "patternProperties", "additionalProperties", "minProperties"]],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The types to try: what the schema says, or what its keywords are about, or a string. */
function typesFor(schema: JsonRecord, { depth }: ValuePosition): readonly string[] {
  const received = typeof schema.type === "string" ? [schema.type] : toStrings(schema.type);
  if (received.length > 0) {
    const nullLast = received.toSorted((a, b) => Number(a === "null") - Number(b === "null"));
    return depth < SHALLOW ? nullLast : nullLast.toReversed();
  }
  const hinted = hints.filter(([, keys]) => keys.some((key) => Object.hasOwn(schema, key))).map(([type]) =>
    type
  );
  return [...hinted, ...["string", "number", "boolean", "object", "array", "null"]];
}

interface At {
  readonly schema: JsonRecord;
  readonly spot: ValuePosition;
}

function* ofType(type: string, making: GenerateContext, at: At): Generator<unknown> {
  if (type === "string") yield* candidateStrings(at.schema, making.words, at.spot);
  if (type === "number" || type === "integer") yield* candidateNumbers(at.schema, making.words, at.spot);
  if (type === "boolean") yield* [true, false];
  if (type === "null") yield null;
  if (type === "array") yield* arrays(making, at);
  if (type === "object") yield* objects(making, at);
}

function* arrays(making: GenerateContext, at: At): Generator<unknown> {
  const least = toNumber(at.schema.minItems) ?? 0;
  const most = Math.min(toNumber(at.schema.maxItems) ?? MAX_ITEMS, MAX_ITEMS);
  if (least > most) return;
  const wanted = at.spot.depth < SHALLOW ? Math.min(most, Math.max(least, 2)) : least;
  for (const length of new Set([wanted, Math.max(least, Math.min(most, 1)), least])) {
    const items = itemsOf(making, at, { length });
    if (items !== undefined) yield items;
  }
}

function itemsOf(
  making: GenerateContext,
  { schema, spot }: At,
  want: { readonly length: number },
): unknown[] | undefined {
  const items: unknown[] = [];
  const needed = schema.contains === undefined ? 0 : toNumber(schema.minContains) ?? 1;
  for (let n = 0; n < Math.max(want.length, needed); n++) {
    const own = itemSchema(schema, n);
    const one = n < needed ? { allOf: [own, schema.contains] } : own;
    const item = firstNew(values(making, one, { ...spot, depth: spot.depth + 1 }), {
      taken: schema.uniqueItems === true ? items : [],
    });
    if (item === undefined) return items.length >= (toNumber(schema.minItems) ?? 0) ? items : undefined;
    items.push(item);
  }
  return items;
}

/** The first value that is not there yet. JSON has no undefined, so that means: none. */
function firstNew(from: Iterable<unknown>, { taken }: { readonly taken: readonly unknown[] }): unknown {
  const texts = new Set(taken.map((one) => JSON.stringify(one)));
  for (const value of from) {
    if (!texts.has(JSON.stringify(value))) return value;
  }
  return undefined;
}

/** Objects with everything in them, then with what is required only; a few with other values in them. */
function* objects(making: GenerateContext, at: At): Generator<unknown> {
  const required = new Set(requiredOf(at.schema));
  if (required.size > MAX_REQUIRED) return;
  const optional = Object.keys(toRecord(at.schema.properties)).filter((name) => !required.has(name)).slice(
    0,
    60,
  );
  const full = at.spot.depth < SHALLOW ? optional : [];
  for (const extra of new Set([full, []])) {
    for (let variant = 0; variant < VARIANTS; variant++) {
      const made = objectOf(making, at, { required, optional: extra, variant });
      if (made !== undefined) yield made;
    }
  }
}

/** Required names and those that they depend on. */
function requiredOf(schema: JsonRecord): readonly string[] {
  const names = [...toStrings(schema.required)];
  const dependent = { ...toRecord(schema.dependencies), ...toRecord(schema.dependentRequired) };
  for (const name of names) {
    for (const more of toStrings(ownProperty(dependent, name))) {
      if (!names.includes(more) && names.length < 1_000) names.push(more);
    }
  }
  return names;
}

interface Wanted {
  readonly required: ReadonlySet<string>;
  readonly optional: readonly string[];
  /** Which of its values a property takes: the n-th, or the last. */
  readonly variant: number;
}

function objectOf(making: GenerateContext, at: At, wanted: Wanted): unknown {
  const filled = new Map<string, unknown>();
  const most = toNumber(at.schema.maxProperties) ?? Infinity;
  const declared = Object.keys(toRecord(at.schema.properties)).filter((name) =>
    wanted.required.has(name) || wanted.optional.includes(name)
  );
  for (const name of new Set([...declared, ...wanted.required])) {
    if (filled.size >= most && !wanted.required.has(name)) continue;
    const value = propertyOf(making, at, { name, variant: wanted.variant });
    if (value === undefined && wanted.required.has(name)) return undefined;
    if (value !== undefined) filled.set(name, value);
  }
  fillUp(making, at, filled);
  return Object.fromEntries(filled);
}

function propertyOf(
  making: GenerateContext,
  { schema, spot }: At,
  { name, variant }: { readonly name: string; readonly variant: number },
): unknown {
  const schemas = schemasFor(schema, name, { refs: making.refs, budget: making.judging });
  const one = schemas.length === 1 ? schemas[0] : { allOf: schemas };
  let last: unknown;
  let n = 0;
  for (const value of values(making, one, { depth: spot.depth + 1, name })) {
    last = value;
    if (n++ >= variant) break;
  }
  return last;
}

/** Adds properties of our own invention until there are as many as the schema asks for. */
function fillUp(making: GenerateContext, at: At, filled: Map<string, unknown>): void {
  const least = Math.min(toNumber(at.schema.minProperties) ?? 0, MAX_ITEMS);
  if (filled.size >= least) return;
  for (const name of inventedNames(making, at.schema)) {
    if (filled.size >= least || !making.work.spend()) return;
    const value = filled.has(name) ? undefined : propertyOf(making, at, { name, variant: 0 });
    if (value !== undefined) filled.set(name, value);
  }
}

function* inventedNames(making: GenerateContext, schema: JsonRecord): Generator<string> {
  yield* Object.keys(toRecord(schema.properties));
  for (const pattern of Object.keys(toRecord(schema.patternProperties))) {
    yield* generateMatching(pattern, { min: 0, max: 60 });
  }
  if (isRecord(schema.propertyNames)) {
    const judge = { refs: making.refs, budget: making.judging };
    const { pattern } = schema.propertyNames;
    yield* toList(schema.propertyNames.enum).filter((name) => typeof name === "string");
    if (typeof pattern === "string") yield* generateMatching(pattern, { min: 1, max: 60 });
    for (const word of making.words.tokens) if (isValidValue(schema.propertyNames, word, judge)) yield word;
  }
  for (let n = 1; n <= MAX_ITEMS; n++) yield `field_${n}`;
}
