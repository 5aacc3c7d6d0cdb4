import assert from "node:assert/strict";
import type { JsonObject } from "../../canonical/item.ts";
import { renderSchema } from "./render_schema.ts";

const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

const cases: readonly (readonly [string, JsonObject, JsonObject | undefined])[] = [
  ["closes objects", { type: "object", properties: { a: { type: "string" } } }, closed],
  ["closes what was said to be open but lists its keys", { ...closed, additionalProperties: true }, closed],
  ["keeps an object without keys that is closed", {
    type: "object",
    properties: {},
    additionalProperties: false,
  }, { type: "object", properties: {}, additionalProperties: false }],
  ["gives up on an object of any keys", { type: "object" }, undefined],
  ["gives up on a map", { type: "object", additionalProperties: { type: "string" } }, undefined],
  ["gives up on a map inside", { type: "array", items: { type: ["object", "null"] } }, undefined],
  ["puts unknown keywords into words", { type: "integer", minimum: 1, maximum: 5, description: "Stars." }, {
    type: "integer",
    description: "Stars. (minimum: 1, maximum: 5)",
  }],
  ["keeps known formats and tells others", {
    anyOf: [{ type: "string", format: "date" }, { type: "string", format: "color" }],
  }, { anyOf: [{ type: "string", format: "date" }, { type: "string", description: '(format: "color")' }] }],
  ["says oneOf as anyOf", { oneOf: [{ type: "string" }, { type: "null" }] }, {
    anyOf: [{ type: "string" }, { type: "null" }],
  }],
  ["keeps short lists and tells longer ones", {
    allOf: [{ type: "array", items: { enum: ["a"] }, minItems: 1 }, { type: "array", minItems: 3 }],
  }, {
    allOf: [
      { type: "array", items: { enum: ["a"] }, minItems: 1 },
      { type: "array", description: "(minItems: 3)" },
    ],
  }],
  [
    "cleans definitions",
    { $schema: "x", $ref: "#/$defs/a", $defs: { a: { type: "number", multipleOf: 2 } } },
    {
      $ref: "#/$defs/a",
      $defs: { a: { type: "number", description: "(multipleOf: 2)" } },
    },
  ],
  ["leaves odd values to the provider", { type: "array", items: true, required: ["a"], anyOf: 1 }, {
    type: "array",
    items: true,
    required: ["a"],
    anyOf: 1,
  }],
];

Deno.test("cleanSchema", async (t) => {
  for (const [name, schema, expected] of cases) {
    await t.step(name, () => assert.deepEqual(renderSchema(schema), expected));
  }
});
