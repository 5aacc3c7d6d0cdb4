import assert from "node:assert/strict";
import { truncateStart } from "./text.ts";

Deno.test("truncateStart leaves no half of a character", () => {
  assert.equal(truncateStart("ab👋", 4), "ab👋");
  assert.equal(truncateStart("ab👋", 3), "ab\ufffd");
  assert.equal(truncateStart("a\ud83db", 10), "a\ufffdb");
  assert.equal(truncateStart("abc", 2), "ab");
});
