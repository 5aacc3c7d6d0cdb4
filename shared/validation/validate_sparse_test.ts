import assert from "node:assert/strict";
import * as z from "zod";
import { validate } from "./validate.ts";
import { sparseValidator } from "./validate_sparse.ts";
import { responseRequest } from "../responses/request.ts";

const schema = z.looseObject({
  name: z.string(),
  size: z.int().max(9).nullish(),
  tags: z.array(z.string()).optional(),
});

/** Values of every kind, each of which `narrowing` must judge as `check` does. */
const values: readonly unknown[] = [
  { name: "a" },
  { size: 3, name: "a", other: [1] },
  { name: "a", size: null, tags: ["b"] },
  { name: "a", size: undefined },
  { size: 10 },
  { size: 10, name: 1, tags: [2] },
  { tags: [1], size: 10, name: "a" },
  {},
  null,
  [],
  "text",
  undefined,
  JSON.parse('{"name":"a","__proto__":{"size":10},"constructor":1}'),
];

Deno.test("narrowing gives the values and the faults of the whole schema", () => {
  const narrow = sparseValidator(schema);
  for (const value of [...values, ...values]) {
    assert.deepEqual(narrow(value), validate(schema, value), JSON.stringify(value));
  }
});

Deno.test("narrowing keeps the order of the schema's keys", () => {
  const checked = sparseValidator(schema)({ tags: [], more: 1, size: 1, name: "a" });
  assert.ok(checked.ok);
  assert.deepEqual(Object.keys(checked.value), ["name", "size", "tags", "more"]);
});

Deno.test("narrowing still judges values with sets of keys that it keeps no schema for", () => {
  const narrow = sparseValidator(responseRequest);
  const names = Object.keys(responseRequest.shape);
  for (let set = 0; set < 300; set++) {
    const keys = names.filter((_, index) => index < 9 && (set >> index) % 2 === 1);
    const value = Object.fromEntries(keys.map((key) => [key, key === "input" ? 7 : null]));
    assert.deepEqual(narrow(value), validate(responseRequest, value), keys.join());
  }
});
