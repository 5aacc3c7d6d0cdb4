import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { generateValue } from "../../server/local_provider/json_schema/generate_value.ts";
import { extractPromptWords } from "../../server/local_provider/json_schema/prompt_words.ts";
import { assertProperty } from "../support/property.ts";
import { threadMs } from "../support/thread_time.ts";

type Schema = Readonly<Record<string, unknown>>;

const text =
  'What is the weather in New York at location Paris? Use "quoted thing" with 3 and 42, or mail bob@acme.org.';

function make(schema: unknown, received: string = text): unknown {
  return generateValue(schema, extractPromptWords(received));
}

const ajv = new Ajv2020({ strict: false, logger: false });
formats.default(ajv);

function assertValid(name: string, schema: unknown): void {
  const value = make(schema);
  const valid = ajv.validate(schema as Schema, value);
  assert.ok(valid, `${name}: ${JSON.stringify(value)} ${ajv.errorsText()}`);
}

const node = {
  type: "object",
  properties: { value: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
  required: ["value", "kids"],
  additionalProperties: false,
};
const list = {
  type: "object",
  properties: { value: { type: "number" }, next: { anyOf: [{ $ref: "#/$defs/list" }, { type: "null" }] } },
  required: ["value", "next"],
  additionalProperties: false,
};
const known = [
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
]
  .concat(["uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex", "byte"]);

const satisfiable: Readonly<Record<string, unknown>> = {
  "plain object": { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
  "$schema is ignored": { $schema: "https://json-schema.org/draft/2020-12/schema", type: "integer" },
  "anything": {},
  "true": true,
  "enum": { enum: ["x", "y", 3] },
  "const": { const: { a: [1, null] } },
  "$ref into $defs": {
    $ref: "#/$defs/a",
    $defs: {
      a: {
        type: "object",
        properties: { x: { $ref: "#/$defs/b" } },
        required: ["x"],
        additionalProperties: false,
      },
      b: { type: "integer", minimum: 3, maximum: 5 },
    },
  },
  "$ref into definitions": {
    definitions: { P: { type: "string", minLength: 2 } },
    type: "object",
    properties: { p: { $ref: "#/definitions/P" } },
    required: ["p"],
  },
  "$ref by anchor": { $ref: "#foo", $defs: { f: { $anchor: "foo", type: "integer" } } },
  "recursion through a list": { $ref: "#/$defs/node", $defs: { node } },
  "recursion through null": {
    type: "object",
    properties: { l: { $ref: "#/$defs/list" } },
    required: ["l"],
    $defs: { list },
  },
  "recursion to the root": {
    type: "object",
    properties: { type: { enum: ["div", "a"] }, children: { type: "array", items: { $ref: "#" } } },
    required: ["type", "children"],
    additionalProperties: false,
  },
  "anyOf with format": { anyOf: [{ type: "null" }, { type: "string", format: "email" }] },
  "oneOf by a constant": {
    oneOf: [
      { type: "object", properties: { k: { const: "a" }, x: { type: "number" } }, required: ["k", "x"] },
      { type: "object", properties: { k: { const: "b" } }, required: ["k"], additionalProperties: false },
    ],
  },
  "oneOf that overlaps": { oneOf: [{ type: "number" }, { type: "integer" }] },
  "oneOf of multiples": { oneOf: [{ type: "integer", multipleOf: 3 }, { type: "integer", multipleOf: 5 }] },
  "allOf": {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "integer" } }, required: ["b"] },
    ],
  },
  "not": {
    type: "object",
    properties: { a: { enum: [1, 2] } },
    required: ["a"],
    not: { properties: { a: { const: 1 } } },
  },
  "not a type": { type: ["string", "integer"], not: { type: "string" } },
  "if, then, else": {
    type: "object",
    properties: { k: { enum: ["p", "q"] } },
    required: ["k"],
    if: { properties: { k: { const: "p" } } },
    then: { required: ["pp"], properties: { pp: { type: "string" } } },
    else: { required: ["qq"], properties: { qq: { type: "integer" } } },
  },
  "pattern": { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
  "pattern with lengths": { type: "string", pattern: "^[a-z]+$", minLength: 20, maxLength: 22 },
  "every format": {
    type: "object",
    properties: Object.fromEntries(known.map((format) => [format, { type: "string", format }])),
    required: known,
    additionalProperties: false,
  },
  "narrow number": { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.01 },
  "cents": { type: "number", multipleOf: 0.01, minimum: 1.5 },
  "large integer": { type: "integer", minimum: 1e15, maximum: 1e15 + 3 },
  "negative numbers": { type: "number", maximum: -10 },
  "unique strings": { type: "array", items: { type: "string" }, minItems: 12, uniqueItems: true },
  "unique numbers": {
    type: "array",
    items: { type: "number", minimum: 0, maximum: 1 },
    minItems: 10,
    uniqueItems: true,
  },
  "unique booleans": { type: "array", items: { type: "boolean" }, minItems: 2, uniqueItems: true },
  "unique emails": {
    type: "array",
    items: { type: "string", format: "email" },
    minItems: 4,
    uniqueItems: true,
  },
  "tuple": {
    type: "array",
    prefixItems: [{ type: "string" }, { type: "integer" }],
    items: false,
    minItems: 2,
  },
  "contains": { type: "array", items: { type: "integer" }, contains: { type: "integer", minimum: 500 } },
  "patterned names": {
    type: "object",
    patternProperties: { "^x_[a-z]+$": { type: "integer" } },
    additionalProperties: false,
    minProperties: 2,
  },
  "free names": { type: "object", additionalProperties: { type: "integer" }, minProperties: 3 },
  "propertyNames": { type: "object", propertyNames: { pattern: "^[a-z]{3}$" }, minProperties: 1 },
  "dependentRequired": {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    dependentRequired: { a: ["b"] },
    required: ["a"],
  },
  "required without properties": { type: "object", required: ["z"] },
  "names of prototypes": {
    type: "object",
    required: ["constructor", "toString"],
    additionalProperties: false,
    properties: { constructor: { type: "integer" }, toString: { type: "null" } },
  },
};

Deno.test("generateValue satisfies every kind of schema", () => {
  for (const [name, schema] of Object.entries(satisfiable)) assertValid(name, schema);
});

Deno.test("generateValue is deterministic", () => {
  for (const schema of Object.values(satisfiable)) assert.deepEqual(make(schema), make(schema));
});

Deno.test("generateValue keeps __proto__ a property like any other", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"const":7}},"required":["__proto__"]}',
  );
  const made = make(schema);
  assert.equal(JSON.stringify(made), '{"__proto__":7}');
});

Deno.test("generateValue takes values from what the user said", () => {
  const of = (properties: Schema, received: string) =>
    make({ type: "object", properties, required: Object.keys(properties) }, received);
  const string = { type: "string" };
  const number = { type: "number" };
  assert.deepEqual(of({ location: string }, "What is the weather in Paris?"), { location: "Paris" });
  assert.deepEqual(of({ city: string, days: { type: "integer" } }, "city: Rome, days = 4"), {
    city: "Rome",
    days: 4,
  });
  assert.deepEqual(of({ a: number, b: number }, "add a=2 and b=40"), { a: 2, b: 40 });
  assert.deepEqual(of({ query: string }, "find cats"), { query: "find cats" });
  assert.deepEqual(of({ unit: { enum: ["kelvin", "celsius"] } }, "in celsius please"), { unit: "celsius" });
  assert.deepEqual(of({ title: string }, 'write "My day" now'), { title: "My day" });
});

const hostile: Readonly<Record<string, unknown>> = {
  "reference to itself": { $ref: "#" },
  "circle of references": {
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    $ref: "#/$defs/a",
  },
  "remote reference": { $ref: "http://127.0.0.1:1/schema" },
  "dynamic reference": { $dynamicRef: "#x", $defs: { x: { $dynamicAnchor: "x", $dynamicRef: "#x" } } },
  "endless object": {
    type: "object",
    properties: { a: { $ref: "#" }, b: { $ref: "#" } },
    required: ["a", "b"],
  },
  "endless array": { type: "array", minItems: 3, items: { $ref: "#" } },
  "product of unions": {
    allOf: Array.from(
      { length: 30 },
      () => ({ anyOf: Array.from({ length: 30 }, (_, i) => ({ minLength: i })) }),
    ),
  },
  "contradiction of unions": {
    allOf: Array.from(
      { length: 12 },
      (_, n) => ({ anyOf: [{ const: n }, { const: n + 100 }, { const: -n - 1 }] }),
    ),
  },
  "slow pattern": { type: "string", pattern: "^(a+)+$", minLength: 100 },
  "slow pattern that cannot match": { type: "string", pattern: "^(a|aa)+$(?!.)b", minLength: 30 },
  "huge repetition": { type: "string", pattern: "^(((a{1000}){1000}){1000})$" },
  "slow patterns for names": {
    type: "object",
    required: Array.from({ length: 200 }, (_, n) => `${"a".repeat(28)}!${n}`),
    patternProperties: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`^(a+)+$${n}`, {}])),
  },
  "huge string": { type: "string", minLength: 1e9 },
  "huge array": { type: "array", minItems: 1e9, items: {} },
  "huge object": { type: "object", minProperties: 1e6 },
  "wide object": { type: "object", required: Array.from({ length: 50_000 }, (_, n) => `p${n}`) },
  "deep object": Array.from({ length: 5_000 }).reduce<Schema>(
    (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] }),
    {},
  ),
  "deep allOf": Array.from({ length: 5_000 }).reduce<Schema>((inner) => ({ allOf: [inner] }), {}),
  "false": false,
  "no schema": "string",
  "unknown type": { type: "banana", minimum: "x", required: "y", properties: [], enum: {} },
  "broken pattern": { type: "string", pattern: "((((" },
};

Deno.test("generateValue answers hostile schemas quickly and shortly", async () => {
  for (const [name, schema] of Object.entries(hostile)) {
    let made = "";
    const took = await threadMs(() => {
      made = JSON.stringify(make(schema));
    });
    assert.ok(made.length < 50_000, `${name}: ${made.length} characters`);
    assert.ok(took < 1_500, `${name}: ${took} ms`);
  }
});

const leaf = fc.oneof(
  fc.record({ type: fc.constant("string"), minLength: fc.nat(8) }),
  fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ type: fc.constant("number"), exclusiveMaximum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({
    enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
  }),
  fc.record({ type: fc.constantFrom("boolean", "null", ["string", "null"]) }),
  fc.record({ type: fc.constant("string"), format: fc.constantFrom(...known) }),
);

/** Schemas that are satisfiable by construction: no two constraints can contradict each other. */
const anySchema = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    tie("array"),
    tie("union"),
  ),
  object: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("schema"), { maxKeys: 5 }).chain((
    properties,
  ) =>
    fc.record({
      type: fc.constant("object"),
      properties: fc.constant(properties),
      required: fc.subarray(Object.keys(properties)),
      additionalProperties: fc.boolean(),
    })
  ),
  array: fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) }),
  union: fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
}));

Deno.test("generateValue satisfies random schemas", () => {
  assertProperty(fc.property(anySchema.schema, (schema) => assertValid(JSON.stringify(schema), schema)), {
    numRuns: 100,
  });
});
