import assert from "node:assert/strict";
import * as z from "zod";
import { validate } from "../validation/validate.ts";
import { jsonObject } from "./primitives.ts";

Deno.test("json hands on the very object, with every key that it has", () => {
  const input: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":1,"b":[]}');
  const checked = validate(jsonObject, input);
  assert(checked.ok);
  assert.equal(checked.value, input);
});

Deno.test("json takes objects only, and says so as an object's schema does", () => {
  for (const value of [undefined, null, [], "{}", 1, true]) {
    const [ours, fallback] = [jsonObject, z.looseObject({})].map((schema) =>
      validate(z.object({ a: schema }), { a: value })
    );
    assert.equal(ours?.ok, false);
    assert.deepEqual(ours, fallback);
  }
});
