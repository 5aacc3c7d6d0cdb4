import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { parseJsonBody } from "./parse_json.ts";
import { checkJsonLimits } from "./json_limits.ts";

function refused(text: string): string {
  try {
    parseJsonBody(text);
  } catch (error) {
    assert(error instanceof ApiError);
    assert.equal(error.status, 400);
    assert.equal(error.details.metadata?.path, "body");
    return error.message;
  }
  return assert.fail(`taken: ${text.slice(0, 60)}`);
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

Deno.test("checkJsonShape bounds depth", () => {
  checkJsonLimits(nested(64));
  assert.match(refused(nested(65)), /^body is nested more than 64 levels deep at position 64/);
  assert.match(refused('{"a":'.repeat(65) + "1" + "}".repeat(65)), /more than 64 levels/);
  assert.match(refused("[".repeat(5_000_000)), /more than 64 levels/);
  checkJsonLimits(`[${"[],".repeat(1000)}[]]`);
});

Deno.test("checkJsonShape does not look into strings", () => {
  checkJsonLimits(
    JSON.stringify(["[".repeat(500), '\\"[[[', "\\", '"{', "[".repeat(500) + '"' + "{".repeat(500)]),
  );
  checkJsonLimits(
    JSON.stringify({ [`${"\\".repeat(31)}"${"[".repeat(99)}`]: `${"\\".repeat(30)}"${"[".repeat(99)}` }),
  );
});

Deno.test("checkJsonShape bounds keys and values", () => {
  const limits = { maxDepth: 64, maxKeys: 3, maxValues: 3 };
  checkJsonLimits('{"a":1,"b":":,","c":2}', limits);
  assert.throws(() => checkJsonLimits('{"a":1,"b":{"c":{"d":1}}}', limits), /more than 3 keys/);
  assert.throws(() => checkJsonLimits("[1,2,3,4,5]", limits), /more than 3 values/);
});

Deno.test("parseJson names the position of a fault", () => {
  const cases = {
    "": "body is empty; JSON is expected",
    '{"a": abc}': "body is not valid JSON at position 6",
    '{"a": 1,}': "body is not valid JSON at position 8",
    '{"a": 1': "body is not valid JSON at position 7",
    '{"a": "b': "body is not valid JSON at position 8",
    "{'a': 1}": "body is not valid JSON at position 1",
    "[1, 2,, 3]": "body is not valid JSON at position 6",
    "{} x": "body is not valid JSON at position 3",
    "// no\n{}": "body is not valid JSON at position 0",
    '{"a":1e}': "body is not valid JSON at position 7",
    '["\n"]': "body is not valid JSON at position 2",
  };
  for (const [text, message] of Object.entries(cases)) assert.equal(refused(text), message, text);
});

Deno.test("parseJson never repeats the body", () => {
  assert(!refused('{"secret": sk-123456}').includes("sk-"));
});

Deno.test("parseJson takes odd numbers and prototype keys as data", () => {
  assert.deepEqual(parseJsonBody("[1e400, -0, 1e-400]"), [Infinity, -0, 0]);
  assert.equal(Object.keys(Object(parseJsonBody('{"__proto__":{"a":1}}')))[0], "__proto__");
});
