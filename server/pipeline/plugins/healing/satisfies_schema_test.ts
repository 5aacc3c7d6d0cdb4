import assert from "node:assert/strict";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { Unhealed } from "./healing_reasons.ts";
import { satisfiesSchema } from "./satisfies_schema.ts";

const assertUnchecked = (value: unknown, schema: JsonObject): void =>
  assert.throws(
    () => satisfiesSchema(value, schema),
    (error) => error instanceof Unhealed && error.reason === "schema_unchecked",
    JSON.stringify(schema),
  );

Deno.test("satisfiesSchema checks patterns and formats", () => {
  const schema = { type: "object", properties: { d: { type: "string", pattern: "^\\d+$", format: "date" } } };
  assert.equal(satisfiesSchema({ d: "2025-01-02" }, schema), false);
  assert.equal(satisfiesSchema({ d: "x" }, { properties: { d: { pattern: "^[a-z]*$" } } }), true);
  assert.equal(satisfiesSchema({ d: "" }, { properties: { d: { pattern: "^[a-z]*$" } } }), true);
  assert.equal(satisfiesSchema({ d: "1" }, { properties: { d: { pattern: "^[a-z]*$" } } }), false);
  assert.equal(satisfiesSchema({ d: "a1" }, { properties: { d: { pattern: "\\d" } } }), true);
  assert.equal(satisfiesSchema({ d: "2025-13-02" }, { properties: { d: { format: "date" } } }), false);
  assert.equal(satisfiesSchema(["a", "b", "a"], { uniqueItems: true }), false);
  assert.equal(satisfiesSchema([1, "x", true], { items: [{ type: "number" }], additionalItems: true }), true);
});

Deno.test("satisfiesSchema leaves the schema as it was, and no test behind", () => {
  const schema = Object.freeze({ $id: "https://example.com/s", type: "string", pattern: "^a" });
  assert.equal(satisfiesSchema("ab", schema), true);
  assert.equal(satisfiesSchema("b", schema), false);
  // The name that stood for the pattern means nothing any more.
  assert.equal(satisfiesSchema("b", { format: "test 0" }), true);
  assert.deepEqual(Object.getOwnPropertyNames(schema), ["$id", "type", "pattern"]);
});

Deno.test("satisfiesSchema reads names of callers as names", () => {
  const properties = JSON.parse('{"__proto__": {"type": "number"}, "constructor": {"type": "string"}}');
  assert.equal(satisfiesSchema({ constructor: "x" }, { properties }), true);
  assert.equal(satisfiesSchema(JSON.parse('{"__proto__": "x"}'), { properties }), false);
});

Deno.test("satisfiesSchema follows references within the schema", () => {
  const schema = {
    $ref: "#/$defs/node",
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["id"] } },
  };
  assert.equal(satisfiesSchema({ id: 1, next: { id: 2 } }, schema), true);
  assert.equal(satisfiesSchema({ id: 1, next: { no: 2 } }, schema), false);
});

Deno.test("satisfiesSchema gives up on what is elsewhere, endless, or none", () => {
  assertUnchecked({}, { $ref: "https://example.com/schema.json" });
  assertUnchecked({}, { $ref: "#" });
  assertUnchecked({}, { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" });
  assertUnchecked({ a: 1 }, { patternProperties: { "(a+)+$": {} } });
  assertUnchecked("a", { pattern: "(?=a)a" });
  assertUnchecked("a", { pattern: "(a{1000}){1000}" });
  assertUnchecked("a", { anyOf: Array.from({ length: 5_000 }, () => ({ type: "number" })) });
  assertUnchecked({}, { required: 5 });
  assertUnchecked({}, { $dynamicRef: "#a" });
});

Deno.test("satisfiesSchema bounds the work that a schema or a text can ask for", () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/l${level + 1}` };
    return [`l${level}`, { anyOf: [next, next] }] as const;
  });
  const $defs = Object.fromEntries<JsonObject>([...levels, ["l40", { type: "number" }]]);
  assertUnchecked("x", { $defs, $ref: "#/$defs/l0" });
  // An engine that backtracks would not end.
  assert.equal(satisfiesSchema(`${"a".repeat(10_000)}!`, { pattern: "^(a+)+$" }), false);
  assertUnchecked("b".repeat(1_000_000), { pattern: "^(a+)+$|(b|bb)*c" });
  assertUnchecked(Array.from({ length: 5_000 }, (_, id) => id), { uniqueItems: true });
  assertUnchecked(Array.from({ length: 50_000 }, () => 1), { items: { type: "number" } });
});
