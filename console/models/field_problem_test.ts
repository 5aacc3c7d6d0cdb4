import assert from "node:assert/strict";
import { rateLimitsSchema, workspaceRecordSchema } from "../../shared/workspaces.ts";
import { fieldProblem, keyNameProblem, limitProblem } from "./field_problem.ts";
import { slugProblem } from "./slug.ts";

Deno.test("limits are checked by the gateway's schema", () => {
  for (const text of ["", "0", "75", "0.000000001", "1,000,000,000"]) {
    assert.equal(limitProblem(text, "is bad"), undefined, text);
  }
  assert.equal(limitProblem("75,00", "is bad."), "75,00 is bad.");
  for (const text of ["0.0000000001", "1000000001"]) {
    assert.match(limitProblem(text, "") ?? "", /^It is .*; allowed is 0 to 1000000000 with at most 9/, text);
  }
});

Deno.test("names are checked by their length in characters, and for being there", () => {
  assert.equal(keyNameProblem("Ada 😀", "missing"), undefined);
  assert.equal(keyNameProblem("  ", "missing"), "missing");
  assert.equal(keyNameProblem("😀".repeat(255), ""), undefined);
  assert.match(keyNameProblem("a".repeat(256), "") ?? "", /256 characters long; at most 255/);
  const { name } = workspaceRecordSchema.shape;
  assert.equal(fieldProblem(name, "a".repeat(101)), "It has 101 characters; at most 100 are allowed.");
});

Deno.test("slugs and counts are checked by their form", () => {
  assert.equal(slugProblem("document-intake"), undefined);
  for (const slug of ["", "Two Words", "-a", "a--b"]) assert.notEqual(slugProblem(slug), undefined, slug);
  const most = rateLimitsSchema.shape.requests_per_minute;
  assert.equal(fieldProblem(most, 1), undefined);
  for (const count of [0, 1.5, Number.NaN, 1e13]) assert.notEqual(fieldProblem(most, count), undefined);
});
