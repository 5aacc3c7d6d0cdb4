import assert from "node:assert/strict";
import type { JsonObject } from "../../canonical/item.ts";
import { renderSchema } from "./render_schema.ts";

const cases: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  "dialect and names go": [
    { $schema: "x", $id: "y", $comment: "z", type: "object", properties: {}, additionalProperties: false },
    { type: "object", properties: {}, additionalProperties: false },
  ],
  "a property may be called like a keyword": [
    { type: "object", properties: { $schema: { type: "string" }, oneOf: { const: 1 } } },
    { type: "object", properties: { $schema: { type: "string" }, oneOf: { enum: [1] } } },
  ],
  "const and enum": [{ const: "a", type: "string" }, { enum: ["a"], type: "string" }],
  "values that are no text": [{ enum: [true, false] }, { type: "boolean" }],
  "null among values": [{ enum: ["a", null] }, { anyOf: [{ enum: ["a"] }, { type: "null" }] }],
  "oneOf": [{ oneOf: [{ type: "string" }, { type: "null" }] }, {
    anyOf: [{ type: "string" }, { type: "null" }],
  }],
  "bounds of whole numbers": [
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 },
    { type: "integer", minimum: 1, maximum: 9 },
  ],
  "bounds of other numbers": [
    { type: "number", exclusiveMinimum: 0 },
    { type: "number", minimum: 0, description: "(greater than 0)" },
  ],
  "formats": [
    { anyOf: [{ type: "string", format: "date-time" }, { type: "string", format: "uri" }] },
    {
      anyOf: [{ type: "string", format: "date-time" }, {
        type: "string",
        description: '(format: "uri")',
      }],
    },
  ],
  "what has no word becomes words": [
    { type: "string", description: "A name.", pattern: "^a", minLength: 1 },
    { type: "string", description: 'A name.\n(pattern: "^a"; minLength: 1)' },
  ],
  "references": [
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/A", description: "Mine" }, b: { $ref: "#/definitions/B~1x" } },
      $defs: { A: { type: "string", description: "Theirs" } },
      definitions: { "B/x": { type: "integer" } },
    },
    { type: "object", properties: { a: { type: "string", description: "Mine" }, b: { type: "integer" } } },
  ],
  "references to nowhere": [{ $ref: "#/$defs/none", title: "t" }, { title: "t" }],
  "references elsewhere": [{ $ref: "https://x.example/a.json" }, {}],
  "allOf": [
    {
      allOf: [{ $ref: "#/$defs/A" }, { properties: { b: { type: "string" } }, required: ["b"] }],
      required: ["a"],
      $defs: { A: { type: "object", properties: { a: { type: "integer" } } } },
    },
    {
      type: "object",
      properties: { b: { type: "string" }, a: { type: "integer" } },
      required: ["a", "b"],
    },
  ],
  "lists": [
    { type: "array", items: { const: 1 }, minItems: 1, uniqueItems: true },
    { type: "array", items: { enum: [1] }, minItems: 1, description: "(uniqueItems: true)" },
  ],
  "what is no schema": [{ type: "array", items: true, properties: 3, anyOf: "x" }, {
    type: "array",
    items: {},
    properties: {},
    anyOf: [],
  }],
};

Deno.test("renderSchema keeps the meaning in what the provider takes", async (t) => {
  for (const [name, [schema, expected]] of Object.entries(cases)) {
    await t.step(name, () => assert.deepEqual(renderSchema(schema), expected));
  }
});

Deno.test("renderSchema writes out a reference that turns in circles a few times", () => {
  const tree = { type: "object", properties: { child: { $ref: "#" } } };
  let at: unknown = renderSchema(tree);
  let depth = 0;
  for (; typeof at === "object" && at !== null && "properties" in at; depth++) {
    at = Object.values(at.properties ?? {})[0];
  }
  assert.equal(depth, 4);
  assert.deepEqual(at, {});
});

Deno.test("renderSchema ends on a schema that explodes", () => {
  const refs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { $ref: "#" }]));
  const bomb = { type: "object", properties: refs(100) };
  assert.ok(JSON.stringify(renderSchema(bomb)).length < 2_000_000);
  assert.deepEqual(renderSchema({ allOf: [{ $ref: "#" }] }), {});
});
